import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createApi } from "./api.ts";

/** Calls a service that answers so, and returns what the command would print. */
async function failureOf(listener: RequestListener | null): Promise<unknown> {
  const server = createServer(listener ?? undefined);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((closed) => server.close(closed));
  if (listener === null) await close();
  const call = createApi(`http://127.0.0.1:${port}`, "t").call("POST", "/v1/admin/pipeline-runs", {});
  const failure = await call.then(String, ({ message }: Error) => message);
  if (listener !== null) await close();
  return failure;
}

test("a command without a running service says how to start one", async () => {
  expect(await failureOf(null)).toMatch(/^Nothing answers at .*: start the service/);
});

test.each<{ when: string; listener: RequestListener }>([
  { when: "before its answer", listener: (request) => void request.socket.destroy() },
  {
    when: "within its answer",
    listener: (_request, response) => {
      response.writeHead(200, { "content-length": "9" });
      response.write("{", () => response.destroy());
    },
  },
])("a service that stops $when is not taken for one that does not run", async ({ listener }) => {
  expect(await failureOf(listener)).toMatch(/closed before the answer was complete/);
});
