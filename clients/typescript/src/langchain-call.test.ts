import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { callbackHandler } from "./langchain.ts";
import { createTestClient, type TestClient } from "./testing.ts";

const MINUTE_MS = 60_000;
let client: TestClient;
beforeEach(() => {
  vi.useFakeTimers();
  client = createTestClient({ greeting: "short" });
});
afterEach(() => void vi.useRealTimers());

const handler = () => callbackHandler(client, "greeting", { user: "ann" });
const calls = () => client.events.filter(({ type }) => type === "model_call");
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Starts a stream of LangChain, whose first token comes after a second. */
async function stream(run: string, { provider = "openai", usage = {}, firstMs = 1_000 } = {}) {
  const { handleChatModelStart, handleLLMNewToken, handleLLMEnd } = handler();
  const metadata = { ls_provider: provider };
  handleChatModelStart({}, [[{ type: "human", content: "Hello" }]], run, undefined, {}, [], metadata);
  const say = (token: string, counts?: object) => {
    const fields = { chunk: { message: { usage_metadata: counts } } };
    handleLLMNewToken(token, {}, run, undefined, [], fields);
    return settle();
  };
  const end = () =>
    handleLLMEnd({ generations: [[{ text: "Hi there", message: { content: "Hi there" } }]] }, run);
  await vi.advanceTimersByTimeAsync(firstMs);
  await say("Hi ", usage);
  return { say, end };
}

const LEFT = {
  ...{ user_id: "ann", error: false, latency_ms: 1_000, metadata: { outcome: "aborted" } },
  ...{ response: "Hi ", input_tokens: 2, output_tokens: 1, usage_estimated: true },
};

test("a stream that goes silent was left after its last token", async () => {
  const startedAt = Date.now();
  const { end } = await stream("r1");
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS - 1);
  expect(calls()).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  expect(calls()).toMatchObject([LEFT]);
  expect(Date.parse(`${calls()[0]?.timestamp}`) - startedAt).toBe(1_000);
  await end();
  expect(calls()).toHaveLength(1);
});

test("a stream with pauses is none that was left", async () => {
  const { say, end } = await stream("r1");
  for (const _ of "123") {
    await vi.advanceTimersByTimeAsync(9 * MINUTE_MS);
    await say("there");
  }
  await end();
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(calls()).toMatchObject([{ response: "Hi there" }]);
  expect(calls()[0]).not.toHaveProperty("metadata");
});

test("a flush leaves an open stream alone, and a close counts it as left", async () => {
  const { end } = await stream("r1");
  await client.flush();
  expect(calls()).toEqual([]);
  await client.close();
  expect(calls()).toMatchObject([LEFT]);
  await end();
  expect(calls()).toHaveLength(1);
});

test("the end of the process counts it as left", async () => {
  await stream("r1");
  const [first] = process.listeners("beforeExit");
  first?.(0);
  expect(calls()).toMatchObject([LEFT]);
});

test("of more than 1,000 open streams, the one that was silent for longest counts as left", async () => {
  const { say } = await stream("r0", { firstMs: 0 });
  for (let count = 1; count < 1_000; count++) await stream(`r${count}`, { firstMs: 0 });
  await say("there");
  await stream("another", { firstMs: 5 });
  expect(calls()).toMatchObject([{ ...LEFT, latency_ms: 0 }]);
});

test("Anthropic counts the input of a stream at its start", async () => {
  await stream("r1", { provider: "anthropic", usage: { input_tokens: 40, output_tokens: 1 } });
  await client.close();
  expect(calls()).toMatchObject([{ ...LEFT, input_tokens: 40 }]);
});

test.each([
  { input: 0, tokens: { output_tokens: 7 } },
  { input: Number.NaN, tokens: { output_tokens: 7 } },
  {
    input: 5,
    tokens: { input_tokens: 5, cached_input_tokens: 0, cache_write_5m_tokens: 0, output_tokens: 7 },
  },
])(
  "an input of $input tokens is recorded with $tokens: one of none was not counted",
  async ({ input, tokens }) => {
    const { handleChatModelStart, handleLLMEnd } = handler();
    handleChatModelStart({}, [[{ type: "human", content: "Hello" }]], "r1");
    const usage_metadata = {
      ...{ input_tokens: input, output_tokens: 7 },
      input_token_details: { cache_read: 0, cache_creation: 0 },
    };
    await handleLLMEnd({ generations: [[{ text: "Hi", message: { content: "Hi", usage_metadata } }]] }, "r1");
    const counts = Object.entries(calls()[0] ?? {}).filter(([name]) => name.endsWith("_tokens"));
    expect(Object.fromEntries(counts)).toEqual(tokens);
  },
);

test("an Anthropic stream names its model and how it ended", async () => {
  const { handleChatModelStart, handleLLMEnd } = handler();
  handleChatModelStart({}, [[{ type: "human", content: "Hello" }]], "r1");
  const additional_kwargs = { model: "claude-haiku-4-5-20251001", stop_reason: "end_turn" };
  await handleLLMEnd(
    { generations: [[{ text: "Hi", message: { content: "Hi", additional_kwargs } }]] },
    "r1",
  );
  expect(calls()).toMatchObject([{ model: "claude-haiku-4-5-20251001", finish_reason: "end_turn" }]);
});

test("a stream below which a wrapped client recorded the call is not counted again", async () => {
  const chunks = async function* () {
    yield { id: "a1", choices: [{ index: 0, delta: { content: "Hi " } }] };
    yield { id: "a1", choices: [{ index: 0, delta: { content: "there" } }] };
  };
  const create = async (_: object) => chunks();
  const openai = client.wrap({ chat: { completions: { create } } }, "greeting", { user: "ann" });
  const { handleChatModelStart, handleLLMNewToken } = handler();
  handleChatModelStart({}, [[{ type: "human", content: "Hello" }]], "r1");
  for await (const _ of await openai.chat.completions.create({ model: "m", messages: [], stream: true })) {
    handleLLMNewToken("Hi ", {}, "r1");
    break;
  }
  await client.close();
  expect(calls()).toMatchObject([{ response: "Hi ", metadata: { outcome: "aborted" } }]);
});
