import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { onCleanUp } from "./clean-up.ts";
import { serverEngines } from "./shared-engines.ts";

/** The parts of the three servers that belong to one test. */
export interface OwnServers {
  /** Settings of a service on them. */
  readonly env: Awaited<ReturnType<typeof serverEngines>>;
  /** Counts the rows of a table of events. */
  countEvents(table: string): Promise<number>;
}

/** Whether the suite has all three servers. */
export const hasServers = (): boolean =>
  ["DATABASE", "EVENTS", "QUEUE"].every((name) => process.env[`ASSAY_TEST_${name}_URL`]);

/** Creates a schema, a database and a stream prefix for one test; the clean-up drops them. */
export async function ownServers(): Promise<OwnServers> {
  const env = await serverEngines();
  const client = createClient({ url: env.ASSAY_EVENTS_URL, log: { level: ClickHouseLogLevel.OFF } });
  onCleanUp(() => client.close());
  return {
    env,
    async countEvents(table) {
      const query = `SELECT count() FROM ${table} FINAL`;
      const [row] = await (await client.query({ query, format: "JSONCompactEachRow" })).json<[string]>();
      return Number(row?.[0]);
    },
  };
}
