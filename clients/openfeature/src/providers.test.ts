import type { EvaluationContext } from "@openfeature/core";
import { OpenFeature as ServerApi } from "@openfeature/server-sdk";
import { OpenFeature as WebApi } from "@openfeature/web-sdk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { readVectors } from "../../typescript/test-support/read-vectors.ts";
import { type Sdk, sdks } from "../test-support/sdk.ts";
import { CHECKOUT, config, GREETING, makeClient, startService } from "../test-support/service-fixture.ts";
import { AssayProvider } from "./server.ts";
import { AssayWebProvider } from "./web.ts";

const ANN = { targetingKey: "ann" };

let service: ScriptedServer;
beforeEach(async () => {
  service = await startService();
});
afterEach(async () => {
  vi.useRealTimers();
  await service.stop();
});

const sent = (type: string) => service.batches.flat().filter((event) => event.type === type);

describe.each(sdks)("the $name SDK", ({ open }) => {
  let sdk: Sdk;
  beforeEach(() => {
    sdk = open();
  });
  afterEach(() => sdk.clear());

  /** A registered provider and its client. */
  async function setUp() {
    const parts = makeClient(service);
    await sdk.setProvider(parts.client);
    return parts;
  }

  describe("evaluates", () => {
    test.each(["greeting", GREETING])("a string flag %s to the user's variant", async (flagKey) => {
      await setUp();
      expect(await sdk.string(flagKey, "none", ANN)).toEqual({
        flagKey,
        value: "treated",
        variant: "treated",
        reason: "SPLIT",
        flagMetadata: { experimentId: GREETING, version: 3, prompt: "Be brief." },
      });
    });

    test("an object flag to the variant's variables over the default, which stays as it is", async () => {
      await setUp();
      const defaults = { temperature: 0.7, model: "small" };
      expect(await sdk.object("greeting", defaults, ANN)).toEqual({
        flagKey: "greeting",
        value: { temperature: 0.2, model: "small", tools: ["search"] },
        variant: "treated",
        reason: "SPLIT",
        flagMetadata: { experimentId: GREETING, version: 3, prompt: "Be brief." },
      });
      expect(defaults).toEqual({ temperature: 0.7, model: "small" });
    });

    test("an object flag with a default of another kind than the variable, which a warning says of the flag's name", async () => {
      const { lines } = await setUp();
      for (const flagKey of ["greeting", "greeting.variables"])
        expect(await sdk.object(flagKey, { temperature: "warm" }, ANN)).toMatchObject({
          value: { temperature: "warm" },
        });
      expect(lines).toEqual([
        "[assay] greeting: the variable temperature is of kind number, its default of kind string; the default is used",
      ]);
    });

    test("a key that ends with .prompt or .variables to that part of the content", async () => {
      await setUp();
      const flagMetadata = { experimentId: GREETING, version: 3, prompt: "Be brief." };
      const details = { variant: "treated", reason: "SPLIT", flagMetadata };
      for (const name of ["greeting", GREETING]) {
        const [prompt, variables] = [`${name}.prompt`, `${name}.variables`];
        expect(await sdk.string(prompt, "none", ANN)).toEqual({
          ...{ flagKey: prompt, value: "Be brief." },
          ...details,
        });
        expect(await sdk.object(variables, { temperature: 1, model: "small" }, ANN)).toEqual({
          ...{ flagKey: variables, value: { temperature: 0.2, model: "small", tools: ["search"] } },
          ...details,
        });
      }
      expect(await sdk.string("checkout.prompt", "none", ANN)).toMatchObject({ value: "treated" });
      expect(await sdk.string("greeting.variables", "a", ANN)).toMatchObject({ errorCode: "TYPE_MISMATCH" });
      expect(await sdk.object("greeting.prompt", {}, ANN)).toMatchObject({ errorCode: "TYPE_MISMATCH" });
      expect(await sdk.object("checkout.variables", { a: 1 }, ANN)).toMatchObject({
        ...{ value: { a: 1 }, variant: "treated", reason: "SPLIT" },
      });
      expect(await sdk.string("unknown.prompt", "none", ANN)).toMatchObject({ errorCode: "FLAG_NOT_FOUND" });
    });

    test("a variant without content: no prompt in the metadata, the default as it is", async () => {
      await setUp();
      expect(await sdk.object("checkout", { a: 1 }, ANN)).toMatchObject({
        value: { a: 1 },
        variant: "treated",
      });
      const { flagMetadata } = await sdk.string("checkout", "none", ANN);
      expect(flagMetadata).toEqual({ experimentId: CHECKOUT, version: 3 });
    });

    test.each([
      { flagKey: "empty", reason: "DEFAULT" },
      { flagKey: "over", reason: "DISABLED" },
    ])("$flagKey to the default, with reason $reason and no exposure", async ({ flagKey, reason }) => {
      const { client } = await setUp();
      const details = await sdk.string(flagKey, "none", ANN);
      expect(details).toMatchObject({ value: "none", reason });
      expect([details.variant, details.errorCode]).toEqual([undefined, undefined]);
      expect(await sdk.object(flagKey, { a: 1 }, ANN)).toMatchObject({ value: { a: 1 }, reason });
      await client.flush();
      expect(sent("exposure")).toEqual([]);
    });

    test("a shipped experiment to its variant, with reason STATIC and no exposure", async () => {
      const { client } = await setUp();
      expect(await sdk.string("shipped", "none", ANN)).toMatchObject({ value: "treated", reason: "STATIC" });
      await client.flush();
      expect(sent("exposure")).toEqual([]);
    });

    test("and records one exposure for a user, whatever the type", async () => {
      const { client } = await setUp();
      for (const value of ["a", "b"]) await sdk.string("greeting", value, ANN);
      await sdk.object(GREETING, {}, ANN);
      await client.flush();
      expect(sent("exposure")).toMatchObject([
        { user_id: "ann", experiment_id: GREETING, variant: "treated" },
      ]);
    });
  });

  describe("answers the default and", () => {
    test.each([
      { code: "FLAG_NOT_FOUND", flagKey: "unknown", context: ANN },
      { code: "TARGETING_KEY_MISSING", flagKey: "greeting", context: {} },
      { code: "TARGETING_KEY_MISSING", flagKey: "greeting", context: { targetingKey: "" } },
      { code: "INVALID_CONTEXT", flagKey: "greeting", context: { targetingKey: 5 as unknown as string } },
      { code: "INVALID_CONTEXT", flagKey: "greeting", context: { targetingKey: "u".repeat(257) } },
    ])("$code for a string flag $flagKey of $context", async ({ code, flagKey, context }) => {
      const { client } = await setUp();
      expect(await sdk.string(flagKey, "none", context)).toMatchObject({
        value: "none",
        reason: "ERROR",
        errorCode: code,
        errorMessage: expect.stringMatching(/\w/),
      });
      await client.flush();
      expect(service.batches).toEqual([]);
    });

    test.each([{ value: ["a"] }, { value: null }])(
      "TYPE_MISMATCH for an object flag with the default $value",
      async ({ value }) => {
        await setUp();
        const details = await sdk.object("greeting", value, ANN);
        expect(details).toMatchObject({ value, errorCode: "TYPE_MISMATCH" });
      },
    );

    test("TYPE_MISMATCH for a boolean or number flag, FLAG_NOT_FOUND when there is none, no exposure", async () => {
      const { client } = await setUp();
      expect(await sdk.boolean("greeting", true, ANN)).toMatchObject({
        value: true,
        errorCode: "TYPE_MISMATCH",
      });
      expect(await sdk.number("greeting", 5, ANN)).toMatchObject({ value: 5, errorCode: "TYPE_MISMATCH" });
      for (const evaluate of [
        sdk.boolean("x", true, ANN),
        sdk.number("x", 5, ANN),
        sdk.object("x", [], ANN),
      ]) {
        expect((await evaluate).errorCode).toBe("FLAG_NOT_FOUND");
      }
      await client.flush();
      expect(service.batches).toEqual([]);
    });
  });

  describe("tracks an outcome", () => {
    test("for each experiment in which the user has a variant, evaluated here or not", async () => {
      const { client } = await setUp();
      await sdk.track("order_value", ANN, { value: 19.9, currency: "EUR" });
      await client.flush();
      const outcome = {
        user_id: "ann",
        business_metric: "order_value",
        value: 19.9,
        variant: "treated",
        metadata: { currency: "EUR" },
      };
      expect(sent("business_event")).toMatchObject([
        { ...outcome, experiment_id: GREETING },
        { ...outcome, experiment_id: CHECKOUT },
      ]);
      expect(sent("exposure")).toEqual([]);
    });

    test("of the experiment that it names alone, with the value 1 unless told otherwise", async () => {
      const { client } = await setUp();
      await sdk.track("signup", ANN, { experiment: "greeting" });
      await client.flush();
      const [event, ...others] = sent("business_event");
      expect(event).toMatchObject({ experiment_id: "greeting", business_metric: "signup", value: 1 });
      expect([others, Object.hasOwn(event ?? {}, "metadata")]).toEqual([[], false]);
    });

    test("not without a user, which is one warning", async () => {
      const { client, lines } = await setUp();
      for (let time = 0; time < 2; time++) await sdk.track("signup", {});
      await client.flush();
      expect(service.batches).toEqual([]);
      expect(lines).toEqual([
        "[assay] an outcome was not tracked: set targetingKey in the context to the user's id",
      ]);
    });
  });

  describe("of an experiment that assigns conversations or runs", () => {
    const units = readVectors<{ config: object }>("units").config;
    beforeEach(() => service.script("/v1/config", { status: 200, body: units }));
    const answers = async (context: EvaluationContext) => [
      (await sdk.string("by-conversation", "none", context)).value,
      (await sdk.string("by-run", "none", context)).value,
    ];

    test("the attributes of the context name the unit; unit_id goes first", async () => {
      const { client } = await setUp();
      expect(await answers({ ...ANN, conversation_id: "c-1" })).toEqual(["treatment", "none"]);
      expect(await answers({ ...ANN, run_id: "r-1" })).toEqual(["none", "treatment"]);
      expect(await answers({ ...ANN, conversation_id: "c-1", run_id: "r-3" })).toEqual([
        "treatment",
        "control",
      ]);
      expect(await answers({ ...ANN, unit_id: "c-1", conversation_id: "c-3", run_id: "c-1" })).toEqual(
        await answers({ ...ANN, unit_id: "c-1" }),
      );
      const context = { ...ANN, conversation_id: "c-1" };
      expect(await sdk.object("by-conversation", { t: 0 }, context)).toMatchObject({ value: { t: 1 } });
      expect(await sdk.string("by-conversation.prompt", "none", context)).toMatchObject({ value: "T" });
      await client.flush();
      expect(sent("exposure")).toContainEqual(
        expect.objectContaining({ user_id: "ann", unit_id: "c-1", variant: "treatment" }),
      );
    });

    test("without one, the default, the reason DEFAULT and one warning", async () => {
      const { client, lines } = await setUp();
      for (const context of [ANN, { ...ANN, unit_id: 5 }])
        expect(await sdk.string("by-run", "none", context)).toMatchObject({
          value: "none",
          reason: "DEFAULT",
        });
      expect(lines).toEqual(["[assay] by-run assigns by run: pass {user, unit}"]);
      await client.flush();
      expect(service.batches).toEqual([]);
    });

    test("an outcome names the unit", async () => {
      const { client } = await setUp();
      const context = { ...ANN, conversation_id: "c-1", run_id: "r-1" };
      await sdk.track("signup", context, { experiment: "by-run" });
      await sdk.track("signup", context, { experiment: "by-user" });
      await sdk.track("order", { ...ANN, conversation_id: "c-1" });
      await client.flush();
      const outcomes = sent("business_event").map(({ business_metric, experiment_id, unit_id }) => [
        ...[business_metric, experiment_id, unit_id],
      ]);
      const id = (last: number) => `0190a6c2-7b5e-7c3d-9f10-00000000000${last}`;
      expect(outcomes).toEqual([
        ["signup", "by-run", "r-1"],
        ["signup", "by-user", undefined],
        ["order", id(1), undefined],
        ["order", id(2), "c-1"],
        ["order", id(5), "c-1"],
      ]);
    });
  });

  describe("lives with its client:", () => {
    test("closing the provider delivers what was tracked", async () => {
      await setUp();
      await sdk.track("signup", ANN, { experiment: "greeting" });
      await sdk.clear();
      expect(sent("business_event")).toHaveLength(1);
    });

    test("a new provider closes the one before", async () => {
      const { client } = await setUp();
      await sdk.string("greeting", "none", ANN);
      await setUp();
      await service.received("/v1/events", 1);
      expect(await client.ready()).toBe(true);
      expect(await sdk.string("greeting", "none", ANN)).toMatchObject({ value: "treated" });
    });

    test("without a config it is not ready, and becomes ready when one comes", async () => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      service.script("/v1/config", { status: 500 }, config(1));
      const { client, schedule } = makeClient(service);
      const isSet = sdk.setProvider(client);
      await schedule.fire(5_000);
      await expect(isSet).rejects.toMatchObject({ code: "PROVIDER_NOT_READY" });
      expect(sdk.status()).toBe("ERROR");
      expect(await sdk.string("greeting", "none", ANN)).toMatchObject({
        value: "none",
        errorCode: "PROVIDER_NOT_READY",
      });
      const ready = vi.fn();
      sdk.on("PROVIDER_READY", ready);
      ready.mockClear(); // the web SDK treats a new context as readiness
      (await schedule.task((delayMs) => delayMs < 5_000)).fire();
      await expect.poll(() => client.configSnapshot()).not.toBeNull();
      vi.advanceTimersByTime(1_000);
      expect(ready).toHaveBeenCalledTimes(1);
      expect(sdk.status()).toBe("READY");
      expect(await sdk.string("greeting", "none", ANN)).toMatchObject({ value: "treated" });
    });

    test("a newer config is one event, the same config none", async () => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      service.script("/v1/config", config(1), config(1), config(2));
      const { client, schedule } = await setUp();
      const changed = vi.fn();
      sdk.on("PROVIDER_CONFIGURATION_CHANGED", changed);
      for (const calls of [0, 1]) {
        const before = client.configSnapshot();
        (await schedule.task((delayMs) => delayMs > 50_000)).fire();
        await expect.poll(() => client.configSnapshot()).not.toBe(before);
        vi.advanceTimersByTime(5_000);
        expect(changed).toHaveBeenCalledTimes(calls);
      }
      await sdk.clear();
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});

test.each([
  { name: "server", make: () => new AssayProvider(makeClient(service).client) },
  { name: "web", make: () => new AssayWebProvider(makeClient(service).client) },
])("a closed $name provider cannot be set again", async ({ make }) => {
  const provider = make();
  expect(provider.metadata.name).toBe("assay");
  await provider.initialize();
  await provider.onClose();
  await expect(provider.initialize()).rejects.toMatchObject({ code: "PROVIDER_FATAL" });
});

test("an SDK refuses the provider of the other", async () => {
  const { client } = makeClient(service);
  const [server, web] = [new AssayProvider(client), new AssayWebProvider(client)];
  await expect(ServerApi.setProviderAndWait(web as unknown as AssayProvider)).rejects.toThrow("client");
  await expect(WebApi.setProviderAndWait(server as unknown as AssayWebProvider)).rejects.toThrow("server");
  await client.close();
});

test("one server provider serves several domains", async () => {
  const provider = new AssayProvider(makeClient(service).client);
  for (const domain of ["a", "b"]) await ServerApi.setProviderAndWait(domain, provider);
  for (const domain of ["a", "b"]) {
    expect(await ServerApi.getClient(domain).getStringValue("greeting", "none", ANN)).toBe("treated");
  }
  await ServerApi.clearProviders();
});
