import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { ACK, CONFIG, makeClient, makeLoadedClient, startService } from "../test-support/client-fixture.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { EXPERIMENT_ID, sampleConfig } from "../test-support/sample-config.ts";
import { Client } from "./client.ts";
import type { ClientOptions } from "./client-options.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

const sent = () => server.batches.flat();

describe("construction", () => {
  test("throws without a key", () => {
    vi.stubEnv("ASSAY_API_KEY", "");
    expect(() => new Client()).toThrow("API key");
  });

  test("takes key and address from the environment, also with a trailing slash", async () => {
    vi.stubEnv("ASSAY_API_KEY", "svc_pk_env");
    vi.stubEnv("ASSAY_BASE_URL", `${server.url}/`);
    const client = new Client();
    expect(await client.ready()).toBe(true);
    expect(server.requests[0]).toMatchObject({ path: "/v1/config", headers: { "x-api-key": "svc_pk_env" } });
    await client.close();
  });

  test("sends its name and version in a process", async () => {
    const client = new Client({ apiKey: "svc_pk_1", baseUrl: server.url });
    await client.ready();
    client.track("business_event", { experiment_id: "greeting", user_id: "u", business_metric: "m" });
    await client.close();
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    const agents = server.requests.map(({ method, headers }) => [method, headers["user-agent"]]);
    expect(agents).toEqual(["GET", "POST"].map((method) => [method, `assay-typescript/${version}`]));
  });

  test("uses the production API by default", async () => {
    vi.stubEnv("ASSAY_BASE_URL", "");
    const urls: string[] = [];
    const fetch = (url: string) => {
      urls.push(url);
      return Promise.reject(new Error("not now"));
    };
    const client = new Client({ apiKey: "k", fetch, log: new RecordedLog() });
    expect(urls).toEqual(["https://api.assay.dev/v1/config"]);
    await client.close();
  });

  test("works without a process object", async () => {
    vi.stubGlobal("process", undefined);
    try {
      expect(() => new Client()).toThrow("API key");
      await makeLoadedClient(server);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("warns once of an unknown option", () => {
    const { lines } = makeClient(server, { apikey: "x", timeout: 5 } as ClientOptions);
    expect(lines).toEqual(["warn [assay] unknown option: apikey", "warn [assay] unknown option: timeout"]);
  });

  test.each([
    { option: "flushIntervalMs", values: ["5", 0, -1, Number.NaN, {}, Symbol("5")] },
    { option: "pollIntervalMs", values: ["5", 0, -1, Number.NaN, true] },
    { option: "trackExposures", values: ["false", 0] },
    { option: "longPoll", values: ["true", 1] },
    { option: "durable", values: ["true", 1] },
    ...["fetch", "now", "newId", "schedule"].map((option) => ({ option, values: ["x", {}, 5] })),
  ])("warns once of $option that it cannot use, and ignores it", async ({ option, values }) => {
    for (const value of values) {
      const { fetch } = globalThis;
      const log = new RecordedLog();
      const given = { apiKey: "k", baseUrl: server.url, log, fetch, [option]: value };
      const client = new Client(given as ClientOptions);
      expect(await client.ready()).toBe(true);
      expect(client.assign("greeting", "u")).toBe("short");
      expect(await client.close()).toBe(true);
      expect(log.lines).toEqual([`warn [assay] invalid option ignored: ${option}`]);
    }
    expect(server.batches.flat()).toHaveLength(values.length);
  });

  test("takes an option that is null for one that is not given", async () => {
    const nulls = {
      experiments: null,
      trackExposures: null,
      pollIntervalMs: null,
      offlineStore: null,
      mask: null,
    };
    const { client, lines } = await makeLoadedClient(server, nulls as unknown as ClientOptions);
    expect(client.assign("greeting", "u")).toBe("short");
    await client.close();
    expect(server.batches.flat()).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  test.each([{ log: console.log }, { log: {} }, { log: "x" }])(
    "logs to the console when a log cannot: $log",
    (given) => {
      const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
      makeClient(server, { ...given, apikey: "x" } as unknown as ClientOptions);
      expect(warn.mock.calls).toEqual([["[assay] unknown option: apikey"]]);
      warn.mockRestore();
    },
  );
});

describe("ready", () => {
  test("is false at its deadline and holds the process until then", async () => {
    server.script("/v1/config", "hang");
    const { client, schedule } = makeClient(server);
    const ready = client.ready();
    const deadline = await schedule.task((delayMs) => delayMs === 5_000);
    expect(deadline.holdsProcess).toBe(true);
    deadline.fire();
    expect(await ready).toBe(false);
  });

  test("becomes true when a later attempt succeeds", async () => {
    server.script("/v1/config", { status: 503 }, CONFIG);
    const { client, schedule } = makeClient(server);
    const ready = client.ready(60_000);
    (await schedule.task((delayMs) => delayMs < 1_000)).fire();
    expect(await ready).toBe(true);
    expect(await client.ready()).toBe(true);
  });

  test("waits for the named experiments and reports missing ones", async () => {
    const missing = { status: 200, body: sampleConfig(1, { name: "other" }) };
    server.script("/v1/config", missing, { status: 200, body: sampleConfig(2) });
    const { client, schedule, lines } = makeClient(server, { experiments: ["greeting"] });
    const ready = client.ready(10_001);
    (await schedule.task((delayMs) => delayMs > 50_000)).fire();
    expect(await ready).toBe(true);
    expect(lines).toEqual(["warn [assay] config has no experiment greeting"]);
  });

  test("warns once of each name that the config does not have, and of 1,000 at most", async () => {
    const { client, lines } = await makeLoadedClient(server);
    const ask = client.assign.bind(client) as (experiment: unknown, user: string) => unknown;
    for (const name of ["greting", "greting", undefined, 5]) expect(ask(name, "u")).toBeNull();
    const missing = (name: unknown) => `warn [assay] config has no experiment ${name}`;
    expect(lines).toEqual(["greting", "undefined", "number"].map(missing));
    for (let index = 0; index < 2_000; index++) ask(`${index} ${"x".repeat(10_000)}`, "u");
    expect(lines).toHaveLength(1_000);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(400);
  });

  test("takes one name for a list of one", async () => {
    const { client } = await makeLoadedClient(server, { experiments: "greeting" as unknown as string[] });
    expect(client.assign("greeting", "u")).toBe("short");
  });

  test("is false when the client was closed before", async () => {
    server.script("/v1/config", "hang");
    const { client } = makeClient(server);
    const ready = client.ready();
    await client.close();
    expect([await ready, await client.ready()]).toEqual([false, false]);
  });
});

describe("assign", () => {
  test("is null until the config is loaded", async () => {
    const { client } = makeClient(server);
    expect(client.assign("greeting", "u")).toBeNull();
    await client.ready();
    expect(client.assign("greeting", "u")).toBe("short");
  });

  test("is null for an unknown or a stopped experiment, and records nothing", async () => {
    server.script("/v1/config", { status: 200, body: sampleConfig(1, { status: "stopped" }) });
    const { client } = await makeLoadedClient(server);
    expect([client.assign("greeting", "u"), client.assign("unknown", "u")]).toEqual([null, null]);
    expect(await client.flush()).toBe(true);
    expect(server.batches).toEqual([]);
  });

  test("records one exposure by the canonical id, for the name and the id alike", async () => {
    const { client } = await makeLoadedClient(server, { newId: () => "id-1" });
    for (const experiment of ["greeting", EXPERIMENT_ID, "greeting"]) client.assign(experiment, "u");
    await client.flush();
    expect(sent()).toEqual([
      {
        event_id: "id-1",
        type: "exposure",
        experiment_id: EXPERIMENT_ID,
        user_id: "u",
        variant: "short",
        timestamp: "2026-07-06T12:00:00.000Z",
      },
    ]);
  });

  test("records again after 10 minutes, and for another user", async () => {
    const { client, now } = await makeLoadedClient(server);
    client.assign("greeting", "a");
    now.value += 599_999;
    client.assign("greeting", "a");
    client.assign("greeting", "b");
    now.value += 1;
    client.assign("greeting", "a");
    await client.flush();
    expect(sent().map(({ user_id }) => user_id)).toEqual(["a", "b", "a"]);
  });

  test("does not record again under a new config version: an edit is not billed twice", async () => {
    server.script("/v1/config", CONFIG, { status: 200, body: sampleConfig(2) });
    server.script("/v1/events", { status: 202, body: { accepted: 1, config_version: 2, rejected: [] } });
    const { client, schedule } = await makeLoadedClient(server);
    client.assign("greeting", "u");
    await client.flush();
    (await schedule.task((delayMs) => delayMs <= 2_000)).fire();
    await server.received("/v1/config", 2);
    await schedule.task((delayMs) => delayMs > 50_000);
    client.assign("greeting", "u");
    await client.flush();
    expect(sent()).toHaveLength(1);
  });

  test("records later if the queue was full", async () => {
    server.script("/v1/events", "hang", ACK);
    const { client, schedule } = await makeLoadedClient(server);
    for (let i = 0; i < 10_000; i++)
      client.track("business_event", { experiment_id: "greeting", user_id: `${i}` });
    client.assign("greeting", "u");
    await server.received("/v1/events", 1);
    await schedule.fire(10_000);
    (await schedule.task((delayMs) => delayMs < 1_000)).fire();
    await client.flush();
    expect(sent().filter(({ type }) => type === "exposure")).toEqual([]);
    client.assign("greeting", "u");
    await client.flush();
    expect(sent().filter(({ type }) => type === "exposure")).toHaveLength(1);
  });

  test("records no exposure to a shipped variant, which everybody gets, but still reports calls", async () => {
    server.script("/v1/config", { status: 200, body: sampleConfig(1, { shipped: true }) });
    const { client } = await makeLoadedClient(server);
    expect(client.assign("greeting", "u")).toBe("short");
    expect(client.getPrompt("greeting", "u", "")).toMatchObject({ variant: "short" });
    expect(await client.interceptModelCall("greeting", "u", async () => "Hello")).toBe("Hello");
    await client.flush();
    expect(sent().map(({ type, variant }) => [type, variant])).toEqual([["model_call", "short"]]);
  });

  test("records nothing when disabled", async () => {
    const { client } = await makeLoadedClient(server, { trackExposures: false });
    expect(client.assign("greeting", "u")).toBe("short");
    await client.flush();
    expect(server.batches).toEqual([]);
  });

  test("still answers when the service is down", async () => {
    const { client, schedule } = await makeLoadedClient(server);
    await server.stop();
    (await schedule.task((delayMs) => delayMs > 50_000)).fire();
    await schedule.task((delayMs) => delayMs > 50_000 && delayMs !== 60_000);
    expect(client.assign("greeting", "u")).toBe("short");
    server = await ScriptedServer.start();
  });
});

test("track sends the fields as given, with an id created once", async () => {
  const { client } = await makeLoadedClient(server);
  client.track("model_call", {
    experiment_id: "greeting",
    user_id: "u",
    variant: "short",
    latency_ms: 12.5,
    error: false,
  });
  client.track("business_event", {
    experiment_id: "greeting",
    user_id: "u",
    business_metric: "sale",
    value: 3,
    event_id: "order-7",
  });
  expect(await client.flush()).toBe(true);
  expect(sent()).toMatchObject([
    { type: "model_call", latency_ms: 12.5, error: false, timestamp: "2026-07-06T12:00:00.000Z" },
    { type: "business_event", value: 3, event_id: "order-7" },
  ]);
  expect(sent()[0]?.event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test("track reads the payload at the call", async () => {
  const { client } = await makeLoadedClient(server);
  const payload = { experiment_id: "greeting", user_id: "u", value: 1 };
  client.track("business_event", payload);
  payload.value = 2;
  await client.flush();
  expect(sent()).toMatchObject([{ value: 1 }]);
});

test("the 10,001st event is dropped, with one warning a minute", async () => {
  server.script("/v1/events", "hang");
  const { client, lines } = await makeLoadedClient(server);
  for (let i = 0; i < 10_005; i++)
    client.track("business_event", { experiment_id: "greeting", user_id: `${i}` });
  expect(lines).toEqual(["warn [assay] event dropped, queue is full: 1"]);
});

describe("close", () => {
  test("delivers what is queued, once, and ends polling", async () => {
    const { client, schedule, lines } = await makeLoadedClient(server);
    client.track("business_event", { experiment_id: "greeting", user_id: "u" });
    const [first, second] = await Promise.all([client.close(), client.close()]);
    expect([first, second]).toEqual([true, true]);
    expect(sent()).toHaveLength(1);
    expect(schedule.pending).toEqual([]);
    expect(lines).toEqual([]);
  });

  test("makes track a no-op with one warning; assign still answers, without exposures", async () => {
    const { client, lines } = await makeLoadedClient(server);
    await client.close();
    for (let i = 0; i < 3; i++) client.track("business_event", { experiment_id: "greeting", user_id: "u" });
    expect(client.assign("greeting", "u")).toBe("short");
    expect(await client.flush()).toBe(true);
    expect(sent()).toEqual([]);
    expect(lines).toEqual(["warn [assay] track after close"]);
  });

  test("gives up at its deadline and reports the number of events", async () => {
    server.script("/v1/events", "hang");
    const { client, schedule, lines } = await makeLoadedClient(server);
    client.track("business_event", { experiment_id: "greeting", user_id: "u" });
    const closed = client.close(1_234);
    await schedule.fire(1_234);
    expect(await closed).toBe(false);
    expect(lines).toEqual(["warn [assay] event given up, client closed: 1"]);
    await expect.poll(() => schedule.pending).toEqual([]);
  });

  test("happens at the end of an await using block", async () => {
    {
      const { client } = await makeLoadedClient(server);
      await using closing = client;
      closing.track("business_event", { experiment_id: "greeting", user_id: "u" });
    }
    expect(sent()).toHaveLength(1);
  });
});
