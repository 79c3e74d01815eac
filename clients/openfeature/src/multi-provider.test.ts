import { InMemoryProvider, MultiProvider, OpenFeature } from "@openfeature/server-sdk";
import { afterEach, expect, test } from "vitest";
import { makeClient, startService } from "../test-support/service-fixture.ts";
import { AssayProvider } from "./server.ts";

afterEach(() => OpenFeature.clearProviders());

test("leaves flags of any type that are not experiments to another provider", async () => {
  const service = await startService();
  const flag = { variants: { on: true, off: false }, defaultVariant: "on", disabled: false };
  const others = new InMemoryProvider({ dark: flag });
  const { client: assay } = makeClient(service);
  await OpenFeature.setProviderAndWait(
    new MultiProvider([{ provider: new AssayProvider(assay) }, { provider: others }]),
  );
  const client = OpenFeature.getClient();
  const ann = { targetingKey: "ann" };
  expect(await client.getStringValue("greeting", "none", ann)).toBe("treated");
  expect(await client.getBooleanValue("dark", false, ann)).toBe(true);

  client.track("signup", ann, { experiment: "greeting" });
  await OpenFeature.clearProviders();
  expect(service.batches.flat()).toContainEqual(expect.objectContaining({ business_metric: "signup" }));
  await service.stop();
});
