import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startHeartbeat } from "./heartbeat.ts";

/** Long enough that a busy machine answers within one, or single losses would be several. */
const INTERVAL_MS = 500;

/** Runs a heartbeat against a server with `listener`, and counts what happened. */
async function observe(listener: (beat: number, ...call: Parameters<RequestListener>) => void) {
  let beats = 0;
  let hung = 0;
  const server = createServer((request, response) => listener(++beats, request, response)).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = startHeartbeat(url, INTERVAL_MS, () => {
    hung += 1;
    server.emit("hung");
  });
  const end = () => {
    stop();
    server.closeAllConnections();
    server.close();
  };
  return { server, end, hung: () => hung };
}

test("reports once that a server hangs which accepts requests and never answers", async () => {
  const { server, end, hung } = await observe(() => {});
  await once(server, "hung");
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS * 5)); // the absence of a second report
  expect(hung()).toBe(1);
  end();
});

test("counts an error as an answer and tolerates single losses", async () => {
  const enough = Promise.withResolvers<void>();
  const { end, hung } = await observe((beat, request, response) => {
    if (beat === 12) enough.resolve();
    if (beat % 2) request.socket.destroy();
    else response.writeHead(500).end();
  });
  await enough.promise;
  expect(hung()).toBe(0);
  end();
});
