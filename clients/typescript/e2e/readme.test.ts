import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { type Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { ReadmePrograms } from "../test-support/readme-programs.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

const PROMPT = "Answer in one sentence.";
const ANSWER = "A share of the users.";

const programs = new ReadmePrograms(join(import.meta.dirname, ".."));
afterAll(() => programs.remove());

let server: ScriptedServer;
beforeEach(async () => {
  server = await ScriptedServer.start();
  const variants = ["control", "short"].map((key) => ({
    key,
    prompt: PROMPT,
    variables: { temperature: 0.2 },
  }));
  server.script("/v1/config", { status: 200, body: sampleConfig(1, { variants }) });
  server.script("/v1/events", { status: 202, body: { accepted: 1, config_version: 1, rejected: [] } });
});
afterEach(() => server.stop());

const run = (name: string) =>
  programs.run(name, {
    ASSAY_API_KEY: "svc_pk_1",
    ASSAY_BASE_URL: server.url,
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `${server.url}/openai`,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: `${server.url}/anthropic`,
    GOOGLE_API_KEY: "k",
    GOOGLE_GEMINI_BASE_URL: `${server.url}/google`,
  });

const sse = (events: readonly Record<string, unknown>[]): Reply => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  chunks: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
});

interface Example {
  readonly name: string;
  readonly path: string;
  readonly reply: Reply;
  readonly call: Readonly<Record<string, unknown>>;
}
const chat: Reply = {
  status: 200,
  body: {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o-mini-2024-07-18",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: ANSWER, refusal: null },
        finish_reason: "stop",
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 21, completion_tokens: 6, total_tokens: 27 },
  },
};
const examples: readonly Example[] = [
  {
    name: "openai.ts",
    path: "/openai/chat/completions",
    reply: chat,
    call: {
      provider: "localhost",
      requested_model: "gpt-4o-mini",
      model: "gpt-4o-mini-2024-07-18",
      finish_reason: "stop",
    },
  },
  {
    name: "anthropic.ts",
    path: "/anthropic/v1/messages",
    reply: sse([
      {
        type: "message_start",
        message: {
          id: "m1",
          type: "message",
          role: "assistant",
          model: "claude-haiku-4-5-20251001",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 21, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: ANSWER } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: 6 },
      },
      { type: "message_stop" },
    ]),
    call: {
      provider: "localhost",
      requested_model: "claude-haiku-4-5",
      model: "claude-haiku-4-5-20251001",
      finish_reason: "end_turn",
    },
  },
  {
    name: "google.ts",
    path: "/google/v1/models/gemini-2.5-flash:generateContent",
    reply: {
      status: 200,
      body: {
        candidates: [
          { content: { role: "model", parts: [{ text: ANSWER }] }, finishReason: "STOP", index: 0 },
        ],
        usageMetadata: { promptTokenCount: 21, candidatesTokenCount: 6, totalTokenCount: 27 },
        modelVersion: "gemini-2.5-flash-001",
      },
    },
    call: {
      provider: "localhost",
      requested_model: "gemini-2.5-flash",
      model: "gemini-2.5-flash-001",
      finish_reason: "STOP",
    },
  },
  {
    name: "ai-sdk.ts",
    path: "/openai/chat/completions",
    reply: chat,
    call: {
      // The AI SDK reports its provider's name itself.
      provider: "openai",
      requested_model: "gpt-4o-mini",
      model: "gpt-4o-mini-2024-07-18",
      finish_reason: "stop",
    },
  },
];

test.each(examples)(
  "the README's $name answers, and the call is reported",
  async ({ name, path, reply, call }) => {
    server.script(path, reply);
    expect(await run(name)).toEqual({ exitCode: 0, output: `${ANSWER}\n`, errors: "" });
    expect(server.at(path)[0]?.body).toContain(PROMPT);
    const events = server.batches.flat();
    expect(events.filter(({ type }) => type === "exposure").length).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === "model_call")).toEqual([
      expect.objectContaining({
        ...call,
        user_id: "ann",
        variant: "short",
        input_tokens: 21,
        output_tokens: 6,
        error: false,
      }),
    ]);
    const { prompt, response } = events.find(({ type }) => type === "model_call") ?? {};
    expect(response).toBe(ANSWER);
    expect(prompt).toContain("What is a bucket?");
  },
);

test("the README's conversation is assigned and named", async () => {
  const variants = [{ key: "control" }, { key: "short", prompt: PROMPT }];
  const config = sampleConfig(1, { variants, unit: "conversation" });
  server.script("/v1/config", { status: 200, body: config });
  const ended = await run("conversation.ts");
  expect(ended).toEqual({ exitCode: 0, output: `short\n${PROMPT}\n`, errors: "" });
  expect(server.batches.flat().map((event) => [event.user_id, event.unit_id])).toEqual([
    ["ann", "conversation-17"],
    ["ann", "conversation-18"],
  ]);
});

test("the README's agent reports its tool call and the end of its run", async () => {
  expect(await run("agent-run.ts")).toEqual({ exitCode: 0, output: "3 hits\n", errors: "" });
  const placed = { user_id: "ann", run_id: "run-4" };
  const texts = { tool_arguments: '{"query":"buckets"}', tool_result: "3 hits" };
  expect(server.batches.flat()).toMatchObject([
    { ...placed, type: "tool_call", tool_name: "search", agent_name: "support", ...texts },
    { ...placed, type: "run_end", completed: true },
  ]);
});

test("the README's first steps assign, read content and deliver the outcome", async () => {
  const { exitCode, output, errors } = await run("first-steps.ts");
  expect([exitCode, output, errors]).toEqual([
    0,
    "{\n  variant: 'short',\n  prompt: 'Answer in one sentence.',\n  temperature: 0.2\n}\n",
    "",
  ]);
  expect(server.batches.flat().map(({ type }) => type)).toEqual(["exposure", "business_event"]);
});

test("the README's other call is reported with what the extractor read", async () => {
  expect(await run("other.ts")).toEqual({ exitCode: 0, output: "Really? Yes.\n", errors: "" });
  expect(server.batches.flat()).toContainEqual(
    expect.objectContaining({
      type: "model_call",
      model: "in-house-1",
      input_tokens: 4,
      output_tokens: 1,
      response: "Really? Yes.",
    }),
  );
});

test("the README's unit test passes, without a service", async () => {
  expect(await run("unit-test.ts")).toEqual({ exitCode: 0, output: "", errors: "" });
  expect(server.batches).toEqual([]);
});

test("every program of the README is tested here", () => {
  // Tests of these frameworks run the last four.
  const own = ["agent-run.ts", "conversation.ts", "first-steps.ts", "other.ts", "unit-test.ts"];
  const others = [...own, "langchain.ts", "langchain-embeddings.ts", "openai-agents.ts", "express.ts"];
  expect(programs.names).toEqual([...others, ...examples.map(({ name }) => name)].sort());
});
