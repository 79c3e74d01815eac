import { startClickHouse } from "../../tests/servers/clickhouse.ts";
import { onCleanup } from "./cleanup.ts";

/** An event store that has stopped answering, so accepted events stay in the queue. */
export interface StalledStore {
  readonly url: string;
  /** From now on, nothing is answered. */
  stall(): void;
}

/**
 * Starts a ClickHouse that can be made to hang. It separates the cost of accepting events from that of storing them,
 * which otherwise shares the service's process and the machine's cores.
 */
export async function startStalledStore(): Promise<StalledStore> {
  const server = await startClickHouse();
  onCleanup(server.stop);
  return { url: server.url, stall: () => server.kill("SIGSTOP") };
}
