import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildPackage } from "../scripts/build.ts";
import { callbackHandler } from "../src/langchain.ts";
import {
  type ChatModel,
  LANGCHAIN_FOLDER,
  type Langchain,
  loadLangchain,
} from "../test-support/langchain-packages.ts";
import {
  ASK,
  CHAT,
  chunk,
  completion,
  eventStream,
  HELLO,
  IDENTITY,
  type Observed,
  OPENAI_CALL,
  startObserved,
  USAGE_CHUNK,
} from "../test-support/model-call-fixture.ts";
import { ReadmePrograms } from "../test-support/readme-programs.ts";

const MODULES = resolve(import.meta.dirname, "../../../node_modules");
const TYPE_OPTIONS =
  "--ignoreConfig --noEmit --strict --skipLibCheck --types node --target es2022 --lib es2023,dom --module esnext --moduleResolution bundler";

const ms = expect.any(Number);
const EXPOSURE = { ...IDENTITY, type: "exposure" };
const STREAMED = { ...OPENAI_CALL, time_to_first_token_ms: ms };
const toolCall = (id: string, q: number) => ({
  id,
  type: "function",
  function: { name: "find", arguments: JSON.stringify({ q }) },
});
const TOOL_CALLS = completion({
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, tool_calls: [toolCall("t1", 1), toolCall("t2", 2)] },
      finish_reason: "tool_calls",
    },
  ],
});
const FIND = {
  type: "function",
  function: { name: "find", parameters: { type: "object", properties: { q: { type: "number" } } } },
};

describe("calls of LangChain's models are recorded as the provider counts them", () => {
  let langchain: Langchain;
  beforeAll(async () => {
    langchain = await loadLangchain();
  });
  let observed: Observed;
  beforeEach(async () => {
    observed = await startObserved();
  });
  afterEach(() => observed.stop());

  const handler = (options: object = { user: "ada" }) =>
    callbackHandler(observed.client, "greeting", options);
  const openai = (fields: object = {}): ChatModel =>
    new langchain.ChatOpenAI({
      model: "gpt-5-mini",
      apiKey: "k",
      maxRetries: 2,
      configuration: { baseURL: `${observed.server.url}/v1` },
      callbacks: [handler()],
      ...fields,
    });
  const requests = () => observed.server.at(CHAT).length;
  const read = async (stream: AsyncIterable<{ readonly text: string }>) => {
    let text = "";
    for await (const part of stream) text += part.text;
    return text;
  };

  test("whole, and once with several handlers of the same experiment", async () => {
    expect((await openai().invoke("Say hello", { callbacks: [handler()] })).text).toBe("Hello you");
    expect(await observed.events()).toEqual([EXPOSURE, OPENAI_CALL]);
  });

  test("streams", async () => {
    observed.server.script(CHAT, eventStream([...HELLO, USAGE_CHUNK]));
    expect(await read(await openai().stream("Say hello"))).toBe("Hello you");
    expect(await observed.events()).toEqual([EXPOSURE, STREAMED]);
  });

  test("streams that do not report their usage, as estimates", async () => {
    observed.server.script(CHAT, eventStream([chunk("Hello"), chunk(" you")]));
    await read(await openai({ streamUsage: false }).stream("Say hello"));
    expect(await observed.calls()).toMatchObject([
      { input_tokens: 3, output_tokens: 3, usage_estimated: true, response: "Hello you" },
    ]);
  });

  test("a whole answer without usage, without tokens", async () => {
    observed.server.script(CHAT, completion({ usage: undefined }));
    await openai().invoke("Say hello");
    const [call] = await observed.calls();
    expect(call).not.toHaveProperty("input_tokens");
    expect(call).not.toHaveProperty("output_tokens");
  });

  test("streams that are aborted, and errors", async () => {
    observed.server.script(CHAT, eventStream([chunk("Hello")], "hang"));
    const end = new AbortController();
    const reading = openai()
      .stream("Say hello", { signal: end.signal })
      .then(async (stream) => {
        for await (const _ of stream) end.abort();
      });
    await expect(reading).rejects.toThrow();
    observed.server.script(CHAT, { status: 400, body: { error: { message: "no", type: "invalid" } } });
    await expect(openai().invoke("Say hello")).rejects.toThrow();
    expect(await observed.calls()).toMatchObject([
      { error: false, metadata: { outcome: "aborted" }, response: "Hello" },
      { error: true, error_type: expect.stringMatching(/Error$/) },
    ]);
  });

  test("with the retries inside a model as one call", async () => {
    observed.server.script(CHAT, { status: 500, body: {} }, completion());
    await openai().invoke("Say hello");
    expect(requests()).toBe(2);
    expect(await observed.events()).toEqual([EXPOSURE, OPENAI_CALL]);
  });

  test("with parallel tools, and structured output", async () => {
    observed.server.script(CHAT, TOOL_CALLS, completion());
    const tools = openai().bindTools([FIND]);
    const { tool_calls } = await tools.invoke("Say hello");
    expect(tool_calls).toHaveLength(2);
    const response = '[tool_call find({"q":1})]\n[tool_call find({"q":2})]';
    await tools.invoke([
      { role: "user", content: "Say hello" },
      { role: "assistant", content: "", tool_calls },
      { role: "tool", content: "1", tool_call_id: "t1" },
      { role: "tool", content: "2", tool_call_id: "t2" },
    ]);
    observed.server.script(CHAT, completion({ choices: [answer('{"q":3}')] }));
    const structured = openai().withStructuredOutput({ title: "q", ...FIND.function.parameters });
    expect(await structured.invoke("Say hello")).toEqual({ q: 3 });
    expect(await observed.calls()).toEqual([
      { ...OPENAI_CALL, finish_reason: "tool_calls", response },
      {
        ...OPENAI_CALL,
        prompt: `user: Say hello\n\nassistant: ${response}\n\ntool: 1\n\ntool: 2`,
      },
      { ...OPENAI_CALL, response: '{"q":3}' },
    ]);
  });

  test("with n > 1, counted once", async () => {
    observed.server.script(CHAT, completion({ choices: [answer("Hello"), answer(" you", 1)] }));
    await openai({ n: 2 }).invoke("Say hello");
    expect(await observed.events()).toEqual([EXPOSURE, { ...OPENAI_CALL, response: "Hello" }]);
  });

  test("for the user of withUser, and not without one", async () => {
    const model = openai({ callbacks: [handler({})] });
    const users = ["ada", "bob", "cleo"];
    await Promise.all(
      users.map((user) => observed.client.withUser(user, () => model.invoke(`I am ${user}`))),
    );
    await model.invoke("Nobody");
    const calls = (await observed.calls()).map(({ user_id, prompt }) => [user_id, prompt]);
    expect(calls.sort()).toEqual(users.map((user) => [user, `I am ${user}`]));
  });

  test("but not an answer from LangChain's cache", async () => {
    const model = openai({ cache: new langchain.InMemoryCache() });
    await model.invoke("Say hello");
    await model.invoke("Say hello");
    expect(requests()).toBe(1);
    expect(await observed.calls()).toEqual([OPENAI_CALL]);
  });

  test("streams that the caller leaves, as estimates, when the client closes", async () => {
    observed.server.script(CHAT, eventStream([...HELLO, USAGE_CHUNK]));
    for await (const part of await openai().stream("Say hello")) if (part.text) break;
    expect(await observed.calls()).toEqual([]);
    await observed.client.close();
    expect(observed.server.batches.flat().filter(({ type }) => type === "model_call")).toMatchObject([
      { error: false, metadata: { outcome: "aborted" }, usage_estimated: true },
    ]);
  });

  describe("on a wrapped client, once", () => {
    /** LangChain makes its client itself; all answers of this provider have the same id. */
    const wrapped = (fields: object = {}) => {
      const model = openai({ maxRetries: 0, ...fields }) as ChatModel & { completions: { client: unknown } };
      model.completions.client = observed.client.wrap(observed.makeOpenai(), "greeting", { user: "ada" });
      return model;
    };

    test("whole, several at the same time, and beside a call that LangChain does not make", async () => {
      const model = wrapped();
      const direct = observed.client.wrap(observed.makeOpenai(), "greeting", { user: "ada" });
      await model.invoke("Say hello");
      await Promise.all([model.invoke("Say hello"), model.invoke("Say hello")]);
      await direct.chat.completions.create(ASK);
      expect(requests()).toBe(4);
      expect(await observed.calls()).toEqual(Array(4).fill(OPENAI_CALL));
      const exposures = (await observed.events()).filter(({ type }) => type === "exposure");
      expect(exposures).toHaveLength(4);
    });

    test("streamed, aborted and failed", async () => {
      observed.server.script(CHAT, eventStream([...HELLO, USAGE_CHUNK]));
      expect(await read(await wrapped().stream("Say hello"))).toBe("Hello you");
      observed.server.script(CHAT, eventStream([chunk("Hello")], "hang"));
      const end = new AbortController();
      const reading = wrapped()
        .stream("Say hello", { signal: end.signal })
        .then(async (stream) => {
          for await (const _ of stream) end.abort();
        });
      await expect(reading).rejects.toThrow();
      observed.server.script(CHAT, { status: 400, body: { error: { message: "no", type: "invalid" } } });
      await expect(wrapped().invoke("Say hello")).rejects.toThrow();
      expect(await observed.calls()).toMatchObject([
        STREAMED,
        { metadata: { outcome: "aborted" } },
        { error: true },
      ]);
      expect(await observed.events()).toHaveLength(6);
    });

    test("of Anthropic, for its user", async () => {
      observed.server.script("/v1/messages", {
        status: 200,
        body: {
          ...{ id: "m1", type: "message", role: "assistant", model: "claude-haiku-4-5" },
          content: [{ type: "text", text: "Hello" }],
          ...{ stop_reason: "end_turn", usage: { input_tokens: 10, output_tokens: 6 } },
        },
      });
      const model = new langchain.ChatAnthropic({
        ...{ model: "claude-haiku-4-5", apiKey: "k", maxTokens: 50, callbacks: [handler({})] },
        createClient: () =>
          observed.client.wrap(new Anthropic({ apiKey: "k", baseURL: observed.server.url }), "greeting"),
      });
      await observed.client.withUser("bob", () => model.invoke("Say hello"));
      expect((await observed.events()).map(({ type, user_id }) => [type, user_id])).toEqual([
        ["exposure", "bob"],
        ["model_call", "bob"],
      ]);
    });
  });

  test("of Anthropic, with tokens read from and written to its cache", async () => {
    const path = "/v1/messages";
    observed.server.script(path, {
      status: 200,
      body: {
        ...{ id: "m1", type: "message", role: "assistant", model: "claude-haiku-4-5-20251001" },
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "t1", name: "find", input: { q: 1 } },
        ],
        ...{ stop_reason: "tool_use", stop_sequence: null },
        usage: {
          ...{ input_tokens: 10, output_tokens: 6, output_tokens_details: { thinking_tokens: 4 } },
          ...{ cache_read_input_tokens: 100, cache_creation_input_tokens: 30 },
          cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
        },
      },
    });
    const model = new langchain.ChatAnthropic({
      ...{ model: "claude-haiku-4-5", apiKey: "k", anthropicApiUrl: observed.server.url, maxTokens: 50 },
      callbacks: [handler()],
    });
    await model.invoke("Say hello");
    expect(await observed.calls()).toEqual([
      {
        ...IDENTITY,
        ...{ type: "model_call", error: false, latency_ms: ms, provider: "anthropic" },
        ...{ requested_model: "claude-haiku-4-5", model: "claude-haiku-4-5-20251001" },
        ...{ input_tokens: 140, cached_input_tokens: 100, output_tokens: 6 },
        ...{ cache_write_5m_tokens: 10, cache_write_1h_tokens: 20, reasoning_tokens: 4 },
        finish_reason: "tool_use",
        prompt: "Say hello",
        response: 'I look.\n[tool_call find({"q":1})]',
        metadata: { max_tokens: 50 },
      },
    ]);
  });

  test("by the README's programs", async () => {
    const installed = join(LANGCHAIN_FOLDER, "node_modules/@assay/client");
    mkdirSync(installed, { recursive: true });
    await buildPackage(installed);
    const programs = new ReadmePrograms(
      resolve(import.meta.dirname, ".."),
      join(LANGCHAIN_FOLDER, "node_modules"),
    );
    try {
      const { url } = observed.server;
      const environment = {
        ...{ ASSAY_API_KEY: "svc_pk_1", ASSAY_BASE_URL: url },
        ...{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` },
      };
      expect(await programs.run("langchain.ts", environment)).toEqual({
        ...{ exitCode: 0, output: "Hello you\n", errors: "" },
      });
      const data = [{ object: "embedding", index: 0, embedding: [0.5] }];
      const body = { object: "list", model: "m", data, usage: { prompt_tokens: 5, total_tokens: 5 } };
      observed.server.script("/v1/embeddings", { status: 200, body });
      expect(await programs.run("langchain-embeddings.ts", environment)).toEqual({
        ...{ exitCode: 0, output: "[ 0.5 ]\n", errors: "" },
      });
      expect(await observed.calls()).toMatchObject([
        { user_id: "ann", input_tokens: 9, provider: "openai" },
        { user_id: "ann", input_tokens: 5, output_tokens: 0 },
      ]);
      // The handler and the wrapped client match LangChain's own types.
      const files = ["langchain.ts", "langchain-embeddings.ts"].map((name) => programs.write(name)).join(" ");
      const options = `${TYPE_OPTIONS} --typeRoots ${MODULES}/@types ${files}`;
      const { status, stdout } = spawnSync(`${MODULES}/.bin/tsc`, options.split(" "), { encoding: "utf8" });
      expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    } finally {
      programs.remove();
      rmSync(installed, { recursive: true });
    }
  });
});

const answer = (content: string, index = 0) => ({
  ...{ index, finish_reason: "stop" },
  message: { role: "assistant", content },
});
