import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { makeClient, makeLoadedClient, startService } from "../test-support/client-fixture.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
});
afterEach(() => server.stop());

test("assigns from the bootstrap before any answer, and polls all the same", async () => {
  server.script("/v1/config", "hang");
  const { client } = makeClient(server, { bootstrap: sampleConfig() });
  expect(client.assign("greeting", "u")).toBe("short");
  expect(await client.ready()).toBe(true);
  await server.received("/v1/config", 1);
});

test("a config that is loaded takes the place of the bootstrap", async () => {
  server.script("/v1/config", { status: 200, body: sampleConfig(2, { buckets: [[100, 0]] }) });
  const { client } = makeClient(server, { bootstrap: sampleConfig(1), experiments: ["greeting"] });
  await server.received("/v1/config", 1);
  await expect.poll(() => client.assign("greeting", "u")).toBe("control");
});

test("the snapshot of one client is the bootstrap of another", async () => {
  const { client: rendering } = await makeLoadedClient(server);
  const bootstrap = JSON.parse(JSON.stringify(rendering.configSnapshot()));
  expect(makeClient(server, { bootstrap }).client.assign("greeting", "u")).toBe("short");
});

test("an invalid bootstrap is one error, and the client goes on", async () => {
  const { client, lines } = makeClient(server, { bootstrap: { experiments: "none" } });
  expect(client.configSnapshot()).toBeNull();
  expect(lines).toEqual(["error [assay] bootstrap is invalid"]);
  expect(await client.ready()).toBe(true);
});
