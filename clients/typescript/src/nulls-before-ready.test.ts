import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { CONFIG, makeClient, startService } from "../test-support/client-fixture.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
});
afterEach(() => server.stop());

test("the service is told once how many assignments were null without a config", async () => {
  server.script("/v1/config", "hang");
  const { client, lines } = makeClient(server);
  client.assign("greeting", "u");
  client.getPrompt("greeting", "v", "Hello");
  for (const value of [1, 2]) {
    client.track("business_event", { experiment_id: "greeting", user_id: "u", business_metric: "m", value });
    await client.flush();
  }
  const [first, second] = server.at("/v1/events").map(({ body }) => JSON.parse(body));
  expect(first.client).toEqual({ null_before_ready: 2 });
  expect(second.client).toBeUndefined();
  expect(lines).toEqual(["warn [assay] assigned null, config not loaded: 1"]);
});

test("other batches do not mention it", async () => {
  server.script("/v1/config", CONFIG);
  const { client } = makeClient(server);
  await client.ready();
  client.assign("greeting", "u");
  await client.flush();
  expect(Object.keys(JSON.parse(server.at("/v1/events")[0]!.body))).toEqual(["events"]);
});
