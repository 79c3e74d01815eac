import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onCleanup } from "./cleanup.ts";

/**
 * Starts a server that answers a client library from memory: it serves `config` and acknowledges every event.
 * Returns its URL. The cleanup stops it.
 */
export async function startAnsweringServer(config: unknown): Promise<string> {
  const body = JSON.stringify(config);
  const server = createServer((request, response) => {
    // Answers a request once it has been read.
    request.resume().on("end", () => {
      const isConfig = request.url === "/v1/config";
      response.writeHead(isConfig ? 200 : 202, { "content-type": "application/json", etag: '"1"' });
      response.end(isConfig ? body : '{"accepted":100,"config_version":1,"rejected":[]}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
