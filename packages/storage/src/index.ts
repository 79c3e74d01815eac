// What a service on the embedded engines needs. Everything else has separate entries (`exports` in package.json), so that its
// libraries are loaded only when they are used.
export { openSqliteControlPlane } from "./control/engine/sqlite.ts";
export { clickhouseEventStore } from "./events/clickhouse-event-store.ts";
export { type EmbeddedClickHouse, startEmbeddedClickHouse } from "./events/embedded/embedded-clickhouse.ts";
export { FolderLockedError, lockFolder } from "./folder-lock.ts";
export { openLmdbQueue } from "./queue/lmdb.ts";
