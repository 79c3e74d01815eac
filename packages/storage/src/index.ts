export { ControlPlaneOpenError } from "./control/control-plane-open-error.ts";
export { NewerDataError } from "./control/migrator.ts";
export { openPostgresControlPlane } from "./control/postgres.ts";
export { openSqliteControlPlane } from "./control/sqlite.ts";
export { clickhouseEventStore } from "./events/clickhouse-event-store.ts";
export { DataFolderLockedError } from "./events/embedded/data-folder-locked-error.ts";
export { type EmbeddedClickHouse, startEmbeddedClickHouse } from "./events/embedded/embedded-clickhouse.ts";
export { FolderLockedError, lockFolder } from "./folder-lock.ts";
export { openLmdbQueue } from "./queue/lmdb.ts";
