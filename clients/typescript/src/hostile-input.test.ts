import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { makeClient, makeLoadedClient, startService } from "../test-support/client-fixture.ts";
import type { ClientOptions } from "./client-options.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
});
afterEach(() => server.stop());

describe("nothing throws", () => {
  const thrower = {
    get user_id(): string {
      throw new Error("getter");
    },
  };
  const proxy = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("trap");
      },
    },
  );
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const hostile: [string, unknown][] = [
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["a BigInt", 5n],
    ["a symbol", Symbol("s")],
    ["a function", () => 1],
    ["a throwing getter", thrower],
    ["a throwing proxy", proxy],
    ["a circle", circular],
    ["a nested BigInt", { value: 1n }],
    ["NaN", { value: Number.NaN }],
    [
      "a throwing toJSON",
      {
        metadata: {
          toJSON: () => {
            throw null;
          },
        },
      },
    ],
    [
      "a throwing toString",
      {
        toString: () => {
          throw new Error("text");
        },
      },
    ],
  ];

  test.each(hostile)("from assign and track with %s", async (_name, value) => {
    const { client } = await makeLoadedClient(server);
    const anything = value as never;
    expect(client.assign(anything, "u")).toBeNull();
    expect(client.assign("greeting", anything)).toBeNull();
    expect(client.track("exposure", anything)).toBeUndefined();
    expect(client.track(anything, { experiment_id: "greeting", user_id: "u" })).toBeUndefined();
  });

  test.each(hostile.filter(([name]) => name !== "a function" && name !== "a throwing toString"))(
    "and %s is a warning, not an event",
    async (_name, value) => {
      const { client, lines } = await makeLoadedClient(server);
      client.track("business_event", value as never);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^warn \[assay\] event dropped, .*: 1$/);
    },
  );

  test.each<[string, ClientOptions]>([
    [
      "a clock that throws",
      {
        now: () => {
          throw new Error("clock");
        },
      },
    ],
    ["a clock that returns no time", { now: () => Number.NaN }],
    [
      "ids that throw",
      {
        newId: () => {
          throw new Error("id");
        },
      },
    ],
    [
      "a log that throws",
      {
        log: {
          warn: () => {
            throw new Error("log");
          },
          error: () => {
            throw new Error("log");
          },
        },
      },
    ],
  ])("from %s; assign still answers", async (_name, options) => {
    const { client } = await makeLoadedClient(server, options);
    expect(client.assign("greeting", "u")).toBe("short");
    expect(client.track("exposure", null as never)).toBeUndefined();
    await client.close();
  });

  test("from an invalid address", async () => {
    const { client, schedule } = makeClient(server, { baseUrl: "not an address" });
    client.track("exposure", { experiment_id: "greeting", user_id: "u" });
    expect(client.assign("greeting", "u")).toBeNull();
    const closed = client.close(1_234);
    await schedule.fire(1_234);
    expect(await closed).toBe(false);
  });
});
