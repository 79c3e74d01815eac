import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";
import { afterEach, expect, test, vi } from "vitest";
import { makeClient, startService } from "../test-support/service-fixture.ts";
import { AssayWebProvider } from "./web.ts";

afterEach(async () => {
  OpenFeature.clearHandlers();
  await OpenFeature.clearProviders();
  await OpenFeature.clearContexts();
});

test("a new context applies at once, without reconciling; a domain keeps its own", async () => {
  const service = await startService();
  const { client } = makeClient(service);
  const provider = new AssayWebProvider(client);
  await OpenFeature.setProviderAndWait(provider, { targetingKey: "ann" });
  await OpenFeature.setProviderAndWait("kiosk", provider, { targetingKey: "carl" });
  const [changed, reconciling] = [vi.fn(), vi.fn()];
  OpenFeature.getClient().addHandler(ProviderEvents.ContextChanged, changed);
  OpenFeature.getClient().addHandler(ProviderEvents.Reconciling, reconciling);

  OpenFeature.getClient().getStringValue("greeting", "none");
  await OpenFeature.setContext({ targetingKey: "bob" });
  OpenFeature.getClient().getStringValue("greeting", "none");
  OpenFeature.getClient("kiosk").getStringValue("greeting", "none");

  expect([changed.mock.calls.length, reconciling.mock.calls.length]).toEqual([1, 0]);
  await client.flush();
  expect(service.batches.flat().map(({ user_id }) => user_id)).toEqual(["ann", "bob", "carl"]);
  await service.stop();
});
