import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeLoadedClient, startService } from "../../test-support/client-fixture.ts";
import {
  ASK,
  CHAT,
  eventStream,
  HELLO,
  type Observed,
  STREAM,
  startObserved,
} from "../../test-support/model-call-fixture.ts";
import { sampleConfig } from "../../test-support/sample-config.ts";
import { middleware } from "../ai-sdk.ts";
import { createTestClient } from "../testing.ts";
import type { CallDetails } from "../user-context/call-context.ts";

function setUp() {
  const client = createTestClient({ greeting: "short", tone: "warm" });
  const ask = (user = "ada") => client.interceptModelCall("greeting", user, () => "Hi");
  const metadata = () => {
    const calls = client.events.filter(({ type }) => type === "model_call");
    expect(client.events.filter((event) => event.type === "exposure" && event.metadata)).toEqual([]);
    return calls.map((call) => call.metadata);
  };
  return { client, ask, metadata };
}

describe("withUser", () => {
  test("names conversation, trace and more, through awaits; the innermost counts", async () => {
    const { client, ask, metadata } = setUp();
    const details = { conversationId: "c1", traceId: "t1", metadata: { page: 3, trace_id: "x" } };
    await client.withUser(
      "ada",
      async () => {
        await turn();
        ask();
        client.withUser("ada", ask, { traceId: "t2" });
        client.withUser("ada", ask);
      },
      details,
    );
    ask();
    expect(metadata()).toEqual([
      { conversation_id: "c1", trace_id: "t1", page: 3 },
      { trace_id: "t2" },
      undefined,
      undefined,
    ]);
  });

  test("says nothing about another user, nor about that user's calls inside", () => {
    const { client, ask, metadata } = setUp();
    const asTwo = () =>
      client.interceptModelCall("tone", "bob", () => client.withUser("bob", () => ask("bob")));
    client.withUser("ada", asTwo, { conversationId: "c1" });
    expect(metadata()).toEqual([undefined, undefined]);
  });

  test("says the same about a call inside, for another experiment", () => {
    const { client, ask, metadata } = setUp();
    client.withUser("ada", () => client.interceptModelCall("tone", "ada", () => ask()), { traceId: "t1" });
    expect(metadata()).toEqual([{ trace_id: "t1" }, { trace_id: "t1" }]);
  });

  test.each<unknown>([5, "text", ["x"], null])("%j is no metadata", (given) => {
    const { client, ask, metadata } = setUp();
    client.withUser("ada", ask, { metadata: given, conversationId: given } as unknown as CallDetails);
    expect(metadata()).toEqual([given === "text" ? { conversation_id: "text" } : undefined]);
  });
});

describe("wrap", () => {
  let observed: Observed;
  beforeEach(async () => {
    observed = await startObserved();
  });
  afterEach(() => observed.stop());

  test("names them for all calls, withUser for some; each wrap adds", async () => {
    const { client } = observed;
    const wrapped = client.wrap(observed.makeOpenai(), "greeting", {
      ...{ user: "ada", traceId: "t1", metadata: { page: 3 } },
    });
    await wrapped.chat.completions.create(ASK);
    await client.withUser("ada", () => wrapped.chat.completions.create(ASK), { traceId: "t2" });
    const again = client.wrap(wrapped, "greeting", { conversationId: "c1", metadata: { part: 1 } });
    await again.chat.completions.create(ASK);
    const calls = await observed.calls();
    expect(calls.map(({ user_id, metadata }) => [user_id, metadata])).toEqual([
      ["ada", { trace_id: "t1", page: 3 }],
      ["ada", { trace_id: "t2", page: 3 }],
      ["ada", { trace_id: "t1", page: 3, conversation_id: "c1", part: 1 }],
    ]);
    expect(client.wrap(again, "greeting")).toBe(again);
  });

  test("keeps them beside the outcome", async () => {
    const { client, server } = observed;
    server.script(CHAT, eventStream(HELLO));
    const wrapped = client.wrap(observed.makeOpenai(), "greeting", { user: "ada", traceId: "t1" });
    for await (const _ of await wrapped.chat.completions.create(STREAM)) break;
    expect(await observed.calls()).toMatchObject([{ metadata: { trace_id: "t1", outcome: "aborted" } }]);
  });
});

test("a call with an override keeps them beside the mark", async () => {
  const server = await startService();
  server.script("/v1/config", { status: 200, body: sampleConfig() });
  const { client } = await makeLoadedClient(server, { overrides: { greeting: "control" } });
  client.withUser("ada", () => client.interceptModelCall("greeting", "ada", () => "Hi"), { traceId: "t1" });
  await client.close();
  expect(server.batches.flat().map(({ metadata }) => metadata)).toEqual([
    { assay_test: true },
    { assay_test: true, trace_id: "t1" },
  ]);
  await server.stop();
});

test("the middleware of the AI SDK takes them", async () => {
  const { client, metadata } = setUp();
  const observer = middleware(client, "greeting", { user: "ada", conversationId: "c1" });
  await observer.wrapGenerate({ params: {}, model: {}, doGenerate: async () => "Hi" });
  expect(metadata()).toEqual([{ conversation_id: "c1" }]);
});
