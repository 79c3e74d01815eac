// What a service on the embedded engines needs. The rest has entries of its own (`exports` in package.json), so that only those who use it
// load its libraries.
export { openSqliteControlPlane } from "./control/engine/sqlite.ts";
export { clickhouseEventStore } from "./events/clickhouse-event-store.ts";
export { type EmbeddedClickHouse, startEmbeddedClickHouse } from "./events/embedded/embedded-clickhouse.ts";
export { FolderLockedError, lockFolder } from "./folder-lock.ts";
export { openLmdbQueue } from "./queue/lmdb.ts";
