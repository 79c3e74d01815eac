import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { callbackHandler } from "./langchain.ts";
import { createTestClient, type TestClient } from "./testing.ts";

interface Body {
  readonly model: string;
  readonly messages: readonly object[];
}

const BODY: Body = { model: "gpt-5-mini", messages: [{ role: "user", content: "Hello" }] };
let client: TestClient;
beforeEach(() => {
  client = createTestClient({ greeting: "short", tone: "warm" });
});

afterEach(() => vi.restoreAllMocks());

const answerOf = (id: string) => ({ id, choices: [{ index: 0, message: { content: "Hi" } }] });
/** A wrapped client whose answers have these ids; an error is thrown. */
function wrapped(answers: readonly (string | Error)[], experiment = "greeting", user = "ann") {
  const left = [...answers];
  const create = async (_: Body) => {
    const next = left.shift()!;
    if (next instanceof Error) throw next;
    return answerOf(next);
  };
  return client.wrap({ chat: { completions: { create } } }, experiment, { user }).chat.completions;
}
const handler = () => callbackHandler(client, "greeting", { user: "ann" });
/** A call of LangChain in a node of a graph, whose answer has this id; null when it failed. */
async function call(run: string, id: string | null, inside: () => unknown) {
  const { handleChainStart, handleChatModelStart, handleLLMEnd, handleLLMError, handleChainEnd } = handler();
  const metadata = { langgraph_node: "agent", lc_agent_name: "support" };
  handleChainStart({}, {}, run);
  handleChainStart({}, {}, `${run}-node`, run, [], metadata);
  handleChatModelStart(
    {},
    [[{ type: "human", content: "Hello" }]],
    `${run}-model`,
    `${run}-node`,
    {},
    [],
    metadata,
  );
  await inside();
  if (id === null) await handleLLMError(new Error("down"), `${run}-model`);
  else await handleLLMEnd({ generations: [[{ text: "Hi", message: { id } }]] }, `${run}-model`);
  handleChainEnd({}, run);
}
const kinds = () => client.events.map(({ type }) => type);
const calls = () => client.events.filter(({ type }) => type === "model_call");

test("a wrapped client's call within a framework's is recorded once, with the run and the agent", async () => {
  await call("r1", "a1", () => wrapped(["a1"]).create(BODY));
  expect(kinds()).toEqual(["exposure", "model_call", "run_end"]);
  expect(calls()).toMatchObject([{ run_id: "r1", agent_name: "support", requested_model: "gpt-5-mini" }]);
});

test("two at the same time, whose answers have the same id, are two", async () => {
  const openai = wrapped(["a1", "a1"]);
  await Promise.all(["r1", "r2"].map((run) => call(run, "a1", () => openai.create(BODY))));
  expect(kinds().sort()).toEqual([
    ...["exposure", "exposure", "model_call", "model_call"],
    ...["run_end", "run_end"],
  ]);
});

test("one that fails on both sides counts once", async () => {
  await call("r1", null, () =>
    wrapped([new Error("down")])
      .create(BODY)
      .catch(() => {}),
  );
  expect(calls()).toMatchObject([{ error: true, run_id: "r1" }]);
});

test("one that the framework tries again counts once", async () => {
  const openai = wrapped([new Error("busy"), "a1"]);
  await call("r1", "a1", async () => {
    await openai.create(BODY).catch(() => {});
    await openai.create(BODY);
  });
  expect(kinds()).toEqual(["exposure", "model_call", "run_end"]);
  expect(calls()).toMatchObject([{ error: false, run_id: "r1" }]);
});

test("one that fails every time counts once, with its error", async () => {
  const openai = wrapped([new Error("busy"), new TypeError("down")]);
  await call("r1", null, async () => {
    for (let tries = 0; tries < 2; tries++) await openai.create(BODY).catch(() => {});
  });
  expect(calls()).toMatchObject([{ error_type: "TypeError", run_id: "r1" }]);
});

test("a call that fails beside a framework's is another call", async () => {
  await call("r1", "a1", () =>
    wrapped([new Error("down")])
      .create(BODY)
      .catch(() => {}),
  );
  expect(calls()).toMatchObject([{ error: false }, { error: true }]);
});

test("from the first token of a framework's stream on, a call is another one", async () => {
  const { handleChatModelStart, handleLLMNewToken, handleLLMEnd } = handler();
  handleChatModelStart({}, [[{ type: "human", content: "Hello" }]], "r1");
  handleLLMNewToken("Hi", {}, "r1");
  await wrapped(["a1"]).create(BODY);
  await handleLLMEnd({ generations: [[{ text: "Hi", message: { id: "a1" } }]] }, "r1");
  expect(kinds()).toEqual(["exposure", "exposure", "model_call", "model_call"]);
});

test.each<[string, () => Promise<unknown>]>([
  ["another answer", () => call("r1", "a1", () => wrapped(["a2"]).create(BODY))],
  ["another user", () => call("r1", "a1", () => wrapped(["a1"], "greeting", "bob").create(BODY))],
  ["another experiment", () => call("r1", "a1", () => wrapped(["a1"], "tone").create(BODY))],
  [
    "a call before",
    async () => {
      await wrapped(["a1"]).create(BODY);
      await call("r1", "a1", () => {});
    },
  ],
  [
    "a call after",
    async () => {
      await call("r1", "a1", () => {});
      await wrapped(["a1"]).create(BODY);
    },
  ],
])("%s is another call", async (_name, make) => {
  await make();
  expect(calls()).toHaveLength(2);
});

test("a stream that a framework does not report any more hides no later call, and no exposure after 10 minutes", async () => {
  const { handleChatModelStart } = handler();
  handleChatModelStart({}, [[{ type: "human", content: "Hello" }]], "left");
  const now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now + 600_001);
  await wrapped(["a1"]).create(BODY);
  await call("r1", "a2", () => wrapped(["a2"]).create(BODY));
  expect(kinds()).toEqual(["exposure", "exposure", "model_call", "exposure", "model_call", "run_end"]);
});
