import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onCleanup } from "./cleanup.ts";

/** An event store that has stopped answering, so accepted events stay in the queue. */
export interface StalledStore {
  readonly url: string;
  /** From now on, nothing is answered. */
  stall(): void;
}

/**
 * Stands in for a ClickHouse that hangs. It separates the cost of accepting events from that of storing them,
 * which otherwise shares the service's process and the machine's cores.
 */
export async function startStalledStore(): Promise<StalledStore> {
  let isStalled = false;
  const server = createServer((request, response) => {
    request.resume();
    // An empty answer is valid for a schema step and means "no row" for the schema version.
    request.on("end", () => {
      if (!isStalled) response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall() {
      isStalled = true;
    },
  };
}
