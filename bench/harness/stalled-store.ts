import { startClickHouse } from "../../tests/servers/clickhouse.ts";
import { onCleanup } from "./cleanup.ts";

/** An event store that has stopped answering, so accepted events stay in the queue. */
export interface StalledStore {
  readonly url: string;
  /** From now on, nothing is answered. */
  stall(): void;
}

/**
 * Starts a ClickHouse that can be made to hang. This measures the cost of accepting events without the cost of storing
 * them, which otherwise uses the same process and cores.
 */
export async function startStalledStore(): Promise<StalledStore> {
  const server = await startClickHouse();
  onCleanup(server.stop);
  return { url: server.url, stall: () => server.kill("SIGSTOP") };
}
