export { probePostgres } from "./control/engine/probe-postgres.ts";
export type { EngineReport } from "./engine-report.ts";
export { probeClickHouse } from "./events/engine/probe-clickhouse.ts";
export { probeJetStream } from "./queue/probe-jetstream.ts";
