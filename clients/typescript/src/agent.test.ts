import { beforeEach, describe, expect, test } from "vitest";
import { type Agent, agent } from "./agent.ts";
import type { Client } from "./client.ts";
import { createTestClient, type TestClient } from "./testing.ts";

let client: TestClient;
let support: Agent;
beforeEach(() => {
  client = createTestClient({ greeting: "short" });
  support = agent(client, "greeting", { user: "ann" });
});

const TOOL_CALL = {
  ...{ type: "tool_call", experiment_id: "greeting", user_id: "ann", variant: "short" },
  ...{ event_id: expect.any(String), timestamp: expect.any(String) },
  ...{ tool_name: "search", error: false, latency_ms: expect.any(Number) },
};

describe("a tool that returns a promise", () => {
  test("is recorded when it settles, with the time that it took", async () => {
    const call = support.callTool(
      "search",
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return { hits: 1 };
      },
      "buckets",
    );
    expect(client.events).toEqual([]);
    expect(await call).toEqual({ hits: 1 });
    expect(client.events).toEqual([{ ...TOOL_CALL, tool_arguments: "buckets", tool_result: '{"hits":1}' }]);
    expect(client.events[0]?.latency_ms).toBeGreaterThan(25);
  });

  test("rejects with the tool's own error", async () => {
    const failure = new TypeError("no");
    await expect(support.callTool("search", () => Promise.reject(failure))).rejects.toBe(failure);
    expect(client.events).toEqual([{ ...TOOL_CALL, error: true, error_type: "TypeError" }]);
  });

  test("is aborted, which is not an error", async () => {
    const signal = AbortSignal.abort();
    await expect(support.callTool("search", async () => signal.throwIfAborted())).rejects.toBe(signal.reason);
    expect(client.events).toEqual([{ ...TOOL_CALL, metadata: { outcome: "aborted" } }]);
  });

  test("belongs to the run in which it began", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const call = client.withRun("r-1", () => support.callTool("search", () => promise));
    resolve("x");
    await client.withRun("r-2", () => call);
    expect(client.events).toMatchObject([{ run_id: "r-1" }]);
  });
});

describe("a tool that returns a stream", () => {
  async function* parts() {
    yield "a";
    yield "b";
  }

  test("is recorded at its end", async () => {
    const read: string[] = [];
    for await (const part of support.callTool("search", parts)) read.push(part);
    expect(read).toEqual(["a", "b"]);
    expect(client.events).toEqual([TOOL_CALL]);
  });

  test("is aborted when it is left", async () => {
    for await (const _ of support.callTool("search", parts)) break;
    expect(client.events).toEqual([{ ...TOOL_CALL, metadata: { outcome: "aborted" } }]);
  });
});

test("arguments are those at the start", () => {
  const args = { q: "buckets" };
  support.callTool("search", () => delete (args as { q?: string }).q, args);
  expect(client.events).toMatchObject([{ tool_arguments: '{"q":"buckets"}' }]);
});

test("a model call in a tool is recorded, too", () => {
  support.callTool("search", () => client.interceptModelCall("greeting", "ann", () => "Hi"));
  expect(client.events.map(({ type }) => type)).toEqual(["exposure", "model_call", "tool_call"]);
});

test("nothing is recorded after close", async () => {
  await client.close();
  expect(support.callTool("search", () => 1)).toBe(1);
  support.endRun({ run: "r-1" });
  expect(client.events).toEqual([]);
});

const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const broken = {
  get toJSON(): never {
    throw new Error("broken");
  },
};
test.each<readonly [string, unknown]>([
  ["a cycle", cycle],
  ["a bigint", 1n],
  ["a getter that throws", broken],
  ["a symbol", Symbol("s")],
  ["a function", () => 1],
  ["NaN", Number.NaN],
  ["something frozen", Object.freeze(new Map())],
])("%s as arguments and result does not disturb the application", (_name, value) => {
  expect(support.callTool("search", () => value, value)).toBe(value);
  expect(client.events).toMatchObject([{ type: "tool_call", tool_name: "search" }]);
});

test.each<unknown>([null, undefined, 5, {}, [], ""])("%j as any argument throws nothing", (value) => {
  const odd = value as never;
  expect(agent(client, odd, odd).callTool(odd, () => 1, odd)).toBe(1);
  support.trackToolCall(odd, odd);
  support.trackToolCall("search", { error_type: odd, metadata: odd });
  support.endRun(odd);
  support.endRun({ run: odd, completed: odd });
  agent(client, "greeting", { user: odd, agentName: odd }).callTool("search", () => 1);
});

test("the agent needs only what a client of the package has", () => {
  const typed: (client: Client, experiment: string) => Agent = agent;
  expect(typed(client, "greeting")).toBeDefined();
});
