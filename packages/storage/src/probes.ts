export { probePostgres } from "./control/engine/probe-postgres.ts";
export { probeSqlite } from "./control/engine/probe-sqlite.ts";
export type { EngineReport } from "./engine-report.ts";
export { requireWholeFolder } from "./events/embedded/whole-folder.ts";
export { probeClickHouse } from "./events/engine/probe-clickhouse.ts";
export { hasQueue } from "./queue/lmdb-file.ts";
export { probeJetStream } from "./queue/probe-jetstream.ts";
export { probeLmdb } from "./queue/probe-lmdb.ts";
