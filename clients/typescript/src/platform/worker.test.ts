import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ScriptedServer } from "../../../scenario-server/scripted-server.ts";
import { CONFIG, startService } from "../../test-support/client-fixture.ts";
import { RecordedLog } from "../../test-support/recorded-log.ts";
import { Client } from "../client.ts";
import { CoreClient } from "../core-client.ts";

vi.mock("#platform", async () => await import("./worker.ts"));
vi.mock("#long-poll", async () => await import("../long-poll/none.ts"));
vi.mock("#metric-names", async () => await import("../metric-names/none.ts"));

let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

const forbidden = () => {
  throw new Error("Disallowed operation called within global scope");
};
const makeClient = (log = new RecordedLog()) =>
  new CoreClient({ apiKey: "svc_pk_1", baseUrl: server.url, log });

/** Runs `work` as if in the global scope of a Worker. */
function inGlobalScope<Result>(work: () => Result): Result {
  const spies = [
    vi.spyOn(globalThis, "fetch").mockImplementation(forbidden),
    vi.spyOn(globalThis, "setTimeout").mockImplementation(forbidden),
    vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation(forbidden),
    vi.spyOn(Math, "random").mockImplementation(forbidden),
  ];
  try {
    return work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe("in the global scope of a Worker", () => {
  test("construction makes no request and logs nothing", () => {
    const log = new RecordedLog();
    inGlobalScope(() => makeClient(log));
    expect([server.requests, log.lines]).toEqual([[], []]);
  });

  test("assign and track do not throw", async () => {
    const client = inGlobalScope(() => {
      const made = makeClient();
      expect(made.assign("greeting", "u")).toBeNull();
      made.track("business_event", { experiment_id: "greeting", user_id: "u" });
      return made;
    });
    await client.close();
  });
});

describe("in a request", () => {
  test("ready loads the config", async () => {
    const client = inGlobalScope(() => makeClient());
    expect(await client.ready()).toBe(true);
    expect(client.assign("greeting", "u")).toBe("short");
    await client.close();
  });

  test("an event alone does not load it", async () => {
    const client = new Client({ apiKey: "svc_pk_1", baseUrl: server.url, log: new RecordedLog() });
    client.track("business_event", { experiment_id: "greeting", user_id: "u" });
    await client.flush();
    expect(server.requests[0]?.path).toBe("/v1/events");
    await client.close();
  });

  test("assign loads it, once", async () => {
    const client = inGlobalScope(() => makeClient());
    expect([client.assign("greeting", "u"), client.assign("greeting", "v")]).toEqual([null, null]);
    await expect.poll(() => client.assign("greeting", "u")).toBe("short");
    expect(server.at("/v1/config")).toHaveLength(1);
    await client.close();
  });

  test("a request for the config does not wait for a change", async () => {
    const log = new RecordedLog();
    const options = { apiKey: "svc_pk_1", baseUrl: server.url, longPoll: true, log };
    const client = new CoreClient(options);
    expect(await client.ready()).toBe(true);
    const later = Date.now() + 67_000;
    vi.spyOn(Date, "now").mockImplementation(() => later);
    client.assign("greeting", "u");
    await server.received("/v1/config", 2);
    expect(log.lines).toEqual(["warn [assay] unknown option: longPoll"]);
    await client.close();
  });

  test("a config that is over a minute old is loaded again, although no timer ran", async () => {
    server.script("/v1/config", CONFIG, { status: 304 });
    const schedule = () => () => {};
    const client = new CoreClient({ apiKey: "svc_pk_1", baseUrl: server.url, schedule });
    expect(client.assign("greeting", "u")).toBeNull();
    await expect.poll(() => client.assign("greeting", "u")).toBe("short");
    const later = Date.now() + 67_000;
    vi.spyOn(Date, "now").mockImplementation(() => later);
    client.assign("greeting", "u");
    client.assign("greeting", "u");
    await server.received("/v1/config", 2);
    await expect.poll(() => client.assign("greeting", "u")).toBe("short");
    expect(server.at("/v1/config")).toHaveLength(2);
  });
});
