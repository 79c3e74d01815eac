import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TraceFact } from "./facts.ts";
import { type ItemSource, readLangfuseItem, readLangfuseScore } from "./langfuse-items.ts";
import { settleTrace } from "./settle-trace.ts";

const TRACE = "a".repeat(32);
const SPAN = "b".repeat(16);
const at = (second: number) => `2026-05-05T12:00:${String(second).padStart(2, "0")}.000Z`;
const ms = (second: number) => Date.parse(at(second));
const source: ItemSource = {
  ...{ scope: "langfuse python 2.0", receivedAt: ms(59) },
  // Anything of the right form.
  digestOf: (text) => text.length.toString(16).padStart(64, "d"),
};

type Fields = Readonly<Record<string, unknown>>;
const item = (type: string, body: unknown, second = 0) => ({ id: "1", timestamp: at(second), type, body });
const read = (type: string, body: unknown, second = 0) =>
  readLangfuseItem(item(type, body, second), source)?.facts ?? [];
const generation = (verb: string, fields: Fields, second = 0) =>
  read(`generation-${verb}`, { id: SPAN, traceId: TRACE, ...fields }, second);
const flag = { "feature_flag.key": "A", "feature_flag.result.variant": "v" };
const trace = (fields: Fields = {}, second = 0) =>
  read("trace-create", { id: TRACE, userId: "ann", metadata: flag, ...fields }, second);
const settle = (...facts: readonly (readonly TraceFact[])[]) =>
  settleTrace({ traceId: TRACE, facts: facts.flat() }, (name) =>
    name === "A" ? { id: "id-A", unit: "user" } : null,
  );
const callOf = (...facts: readonly (readonly TraceFact[])[]) =>
  settle(trace(), ...facts).rows.find(({ type }) => type === "model_call");

describe("a score's texts are bounded", () => {
  const score = (fields: Fields) =>
    readLangfuseScore({ name: "tone", traceId: TRACE, value: 1, ...fields }, source);

  test("its ids and its name", () => {
    expect(score({ id: "i".repeat(800), name: "n".repeat(200) })).not.toBeNull();
    expect(() => score({ id: "i".repeat(801) })).toThrow("id must be a string of 1 to 800 characters");
    expect(() => score({ name: "n".repeat(201) })).toThrow("a string of 1 to 200 characters");
  });

  test("its trace: what is no id of OpenTelemetry becomes one", () => {
    const traceOf = (traceId: string) => score({ traceId })!.traceId;
    expect(traceOf(TRACE)).toBe(TRACE);
    for (const other of ["abc", "z".repeat(32), "0".repeat(32)])
      expect(traceOf(other)).toBe(source.digestOf(other).slice(0, 32));
  });

  test("its comment, which is cut", () => {
    const [fact] = score({ comment: "c".repeat(2_001) })!.facts;
    expect(fact).toMatchObject({ metadata: { explanation: "c".repeat(2_000) } });
  });
});

describe("a generation", () => {
  const created = generation("create", {
    ...{ startTime: at(1), model: "asked", input: [{ role: "user", content: "What?" }] },
    ...{
      modelParameters: { temperature: 0.5, max_tokens: "inf", stream: true },
      promptName: "p",
      promptVersion: 3,
    },
    ...{ metadata: { step: "draft", empty: null }, version: "7", environment: "production" },
  });
  const ended = generation(
    "update",
    {
      ...{ endTime: at(3), completionStartTime: at(2), model: "gpt-5-mini", output: "That." },
      ...{
        usageDetails: { input: 10, output: 5, total: 15 },
        costDetails: { total: 0.5 },
        metadata: { step: "done" },
      },
    },
    4,
  );
  const whole = {
    ...{ type: "model_call", experiment_id: "id-A", user_id: "ann", variant: "v", timestamp: ms(1) },
    ...{ model: "gpt-5-mini", latency_ms: 2_000, time_to_first_token_ms: 1_000, cost_usd: 0.5, error: false },
    ...{ input_tokens: 10, output_tokens: 5, prompt: "What?", response: "That." },
  };

  test("in pieces becomes one call", () => {
    const call = callOf(created, ended);
    expect(call).toMatchObject(whole);
    expect(call?.metadata).toMatchObject({
      ...{ trace_id: TRACE, span_id: SPAN, temperature: 0.5, instrumentation: "langfuse python 2.0" },
      attributes: {
        ...{ "langfuse.observation.metadata.step": "done", "langfuse.observation.prompt.name": "p" },
        ...{ "langfuse.observation.prompt.version": 3, "langfuse.version": "7" },
        "langfuse.environment": "production",
      },
    });
    expect(call).not.toHaveProperty("cached_input_tokens");
    expect(call?.metadata).not.toHaveProperty("max_tokens");
  });

  test("is a function of the set of its pieces", () => {
    const twice = generation("update", { output: "First." }, 2);
    const facts = [...trace(), ...created, ...ended, ...twice, ...trace({ metadata: {} }, 3)];
    const expected = settle(facts);
    expect(expected.rows.find(({ type }) => type === "model_call")).toMatchObject(whole);
    const mixed = fc.shuffledSubarray([...facts, ...facts], { minLength: 2 * facts.length });
    fc.assert(
      fc.property(mixed, (shuffled) => {
        expect(settle(shuffled)).toEqual(expected);
      }),
    );
  });

  test("is what its updates say, even if it was created later", () => {
    const late = generation("create", { startTime: at(1), model: "asked", output: "Nothing yet." }, 9);
    expect(callOf(ended, late)).toMatchObject({ model: "gpt-5-mini", response: "That.", latency_ms: 2_000 });
  });

  test("of pieces of the same instant is the same in any order", () => {
    const pieces = ["x", "y", "z"].map((output) => generation("update", { endTime: at(3), output }));
    expect(callOf(...pieces)?.response).toBe(callOf(...pieces.toReversed())?.response);
  });

  test("that never ended is no call", () => {
    const { rows, outcomes, wholes } = settle(trace(), created);
    expect(rows.map(({ type }) => type)).toEqual(["exposure"]);
    expect([...outcomes]).toEqual([[`c${SPAN}`, "unfinished"]]);
    expect(wholes.size).toBe(0);
  });

  test("that ended is counted with what the whole says", () => {
    const { outcomes, wholes } = settle(trace(), created, ended);
    expect([...outcomes]).toEqual([[`c${SPAN}`, "event"]]);
    expect(wholes.get(`c${SPAN}`)).toMatchObject({ isStream: true, hasUsage: true });
  });

  test.each<readonly [string, Fields, Fields]>([
    ["an answer", { output: "That." }, { response: "That." }],
    ["usage", { usage: { input: 1, output: 2, unit: "TOKENS" } }, { input_tokens: 1, output_tokens: 2 }],
    ["an error", { level: "ERROR", statusMessage: "no" }, { error: true, error_type: "error" }],
  ])("without an end is over with %s, and its latency is not known", (_name, fields, expected) => {
    const call = callOf(created, generation("update", fields, 4));
    expect(call).toMatchObject(expected);
    expect(call).not.toHaveProperty("latency_ms");
  });

  test("whose beginning did not come has no times but its end", () => {
    const call = callOf(ended);
    expect(call).toMatchObject({ timestamp: ms(3), input_tokens: 10 });
    expect(call).not.toHaveProperty("latency_ms");
    expect(call).not.toHaveProperty("time_to_first_token_ms");
    const answered = callOf(generation("update", { output: "That.", completionStartTime: at(9) }, 4));
    expect(answered?.timestamp).toBe(ms(4));
    expect(answered).not.toHaveProperty("time_to_first_token_ms");
  });

  test("around another counts once", () => {
    const inner = read("generation-create", {
      ...{ id: "c".repeat(16), traceId: TRACE, parentObservationId: SPAN, startTime: at(1), endTime: at(2) },
      usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
    });
    const { outcomes, rows } = settle(trace(), created, ended, inner);
    expect([...outcomes.values()].sort()).toEqual(["event", "outer-call"]);
    expect(rows.find(({ type }) => type === "model_call")).toMatchObject({
      input_tokens: 3,
      output_tokens: 4,
    });
  });

  const usageOf = (fields: Fields) => {
    const { input_tokens, output_tokens, cached_input_tokens, cost_usd } =
      callOf(generation("create", { endTime: at(3), ...fields })) ?? {};
    return [input_tokens, output_tokens, cached_input_tokens, cost_usd];
  };
  const none = undefined;
  test.each<readonly [string, Fields, readonly (number | undefined)[]]>([
    ["none", {}, [none, none, none, none]],
    ["null", { usage: null, usageDetails: null, costDetails: null }, [none, none, none, none]],
    ["empty details beside usage", { usageDetails: {}, usage: { input: 8, output: 2 } }, [8, 2, none, none]],
    ["details before usage", { usageDetails: { input: 1 }, usage: { input: 8 } }, [1, none, none, none]],
    ["characters", { usage: { input: 8, output: 2, unit: "CHARACTERS" } }, [none, none, none, none]],
    ["a total alone", { usage: { total: 8 } }, [none, none, none, none]],
    [
      "legacy names",
      { usage: { promptTokens: 8, completionTokens: 2, totalTokens: 10 } },
      [8, 2, none, none],
    ],
    ["legacy costs", { usage: { input: 8, inputCost: 0.25, outputCost: 0.5 } }, [8, none, none, 0.75]],
    ["OpenAI's names", { usage: { prompt_tokens: 8, completion_tokens: 2 } }, [8, 2, none, none]],
    [
      "OpenAI's details",
      { usageDetails: { input_tokens: 8, output_tokens: 2, input_tokens_details: { cached_tokens: 5 } } },
      [8, 2, 5, none],
    ],
    ["zeros", { usageDetails: { input: 0, output: 0 }, costDetails: { total: 0 } }, [0, 0, none, 0]],
  ])("has usage: %s", (_name, fields, expected) => expect(usageOf(fields)).toEqual(expected));

  test("keeps texts as they are, also those that look like messages", () => {
    const output = [{ role: "assistant", content: '{"content": "quoted"}' }];
    expect(callOf(generation("create", { endTime: at(3), output }))?.response).toBe('{"content": "quoted"}');
  });

  test("with ids of its own keeps them in the metadata", () => {
    const body = { id: "one", traceId: "my trace", parentObservationId: "outer", endTime: at(3) };
    const done = readLangfuseItem(item("generation-create", body), source);
    expect(done?.traceId).toBe("8".padStart(64, "d").slice(0, 32));
    expect(done?.facts[0]).toMatchObject({
      ...{ spanId: "3".padStart(64, "d").slice(0, 16), parentId: "5".padStart(64, "d").slice(0, 16) },
      attributes: { "langfuse.trace.id": "my trace", "langfuse.observation.id": "one" },
    });
  });
});

describe("other observations", () => {
  test.each(["span", "agent", "tool", "event"])("of the type %s are steps around calls", (kind) => {
    const outer = { id: "c".repeat(16), traceId: TRACE, startTime: at(0), metadata: { ...flag } };
    const named = { ...outer, metadata: { ...flag, "feature_flag.context.id": "bob" } };
    const inner = { startTime: at(1), endTime: at(2), parentObservationId: outer.id };
    const { rows } = settle(
      read(`${kind}-create`, named),
      read("span-create", {
        ...outer,
        id: "d".repeat(16),
        metadata: { ...flag, "feature_flag.context.id": "ann" },
      }),
      generation("create", inner),
    );
    expect(rows.map(({ type, user_id }) => `${type} ${user_id}`).sort()).toEqual([
      ...["exposure ann", "exposure bob", "model_call bob"],
    ]);
  });

  test("may have their type in the body", () => {
    const body = { id: SPAN, traceId: TRACE, type: "GENERATION", endTime: at(3) };
    expect(callOf(read("observation-create", body))).toBeDefined();
    expect(callOf(read("observation-update", { ...body, type: "SPAN" }))).toBeUndefined();
    expect(() => read("observation-create", { ...body, type: "DREAM" })).toThrow("type of an observation");
    expect(callOf(read("embedding-create", body))).toBeDefined();
  });
});

describe("a trace", () => {
  const ended = generation("create", { startTime: at(4), endTime: at(5) });
  test("that names a variant exposes its user once, since it began", () => {
    const again = trace({ timestamp: at(9) }, 9);
    const { rows } = settle(trace({ timestamp: at(6) }, 6), again, ended);
    expect(rows.filter(({ type }) => type === "exposure")).toEqual([
      expect.objectContaining({
        user_id: "ann",
        variant: "v",
        timestamp: ms(4),
        metadata: { trace_id: TRACE },
      }),
    ]);
  });

  test.each<readonly [string, Fields, string]>([
    ["the flag's user", { metadata: { ...flag, "feature_flag.context.id": 7 } }, "7"],
    ["its user", {}, "ann"],
    ["its session for want of a user", { userId: null, sessionId: "s" }, "s"],
  ])("belongs to %s", (_name, fields, user) => {
    const rows = settle(trace(fields), ended).rows;
    expect(rows.map(({ type, user_id }) => [type, user_id])).toEqual([
      ["exposure", user],
      ["model_call", user],
    ]);
  });

  test.each([
    ["text as JSON", '"v"', "v"],
    ["a text that is no JSON", '"v', undefined],
    ["a number", 1, "1"],
    ["true", true, "true"],
    ["an empty text", "", undefined],
    ["a list", ["v"], undefined],
  ])("names its variant as %s", (_name, variant, expected) => {
    const metadata = { "feature_flag.key": "A", "feature_flag.variant": variant };
    expect(settle(trace({ metadata }), ended).rows.at(-1)?.variant).toBe(expected);
  });

  test("without metadata says who its user is", () => {
    expect(trace({ metadata: "a text", userId: "u" })).toEqual([{ kind: "user", userId: "u", rank: 0 }]);
    expect(read("trace-create", { id: TRACE })).toEqual([]);
  });
});

describe("a score", () => {
  const score = (fields: Fields, second = 9) =>
    read("score-create", { id: "s1", traceId: TRACE, name: "helpful", value: 4, ...fields }, second);
  const outcomesOf = (...facts: readonly (readonly TraceFact[])[]) =>
    settle(trace(), ...facts).rows.filter(({ type }) => type === "business_event");

  test("is an outcome of the trace's user", () => {
    const metadata = { by: "judge", long: "x".repeat(1_000) };
    expect(outcomesOf(score({ comment: "clear", metadata, observationId: null }))).toEqual([
      expect.objectContaining({
        ...{ user_id: "ann", variant: "v", business_metric: "helpful", value: 4, timestamp: ms(9) },
        metadata: { explanation: "clear", metadata: { by: "judge" }, trace_id: TRACE },
      }),
    ]);
  });

  test("may name the observation that it is about", () => {
    const bob = { ...flag, "feature_flag.context.id": "bob" };
    const facts = [generation("create", { endTime: at(3), metadata: bob }), score({ observationId: SPAN })];
    expect(outcomesOf(...facts)).toMatchObject([{ user_id: "bob" }]);
  });

  test("with the same id counts once, without an id each instant counts", () => {
    expect(outcomesOf(score({}), score({ value: 5 }, 10))).toHaveLength(1);
    expect(outcomesOf(score({ id: null }), score({ id: undefined }, 10), score({ id: null }))).toHaveLength(
      2,
    );
  });

  test.each<readonly [Fields, number]>([
    [{ value: true }, 1],
    [{ value: false, dataType: "BOOLEAN" }, 0],
    [{ value: 1, dataType: "BOOLEAN" }, 1],
    [{ value: 0.5, dataType: "NUMERIC" }, 0.5],
  ])("has a number: %j", (fields, value) => expect(outcomesOf(score(fields))).toMatchObject([{ value }]));

  test.each<Fields>([
    { value: "kind" },
    { value: "kind", dataType: "CATEGORICAL" },
    { value: "kind", dataType: "TEXT" },
  ])("with a text moves nothing: %j", (fields) => expect(score(fields)).toEqual([]));

  test("has the time that it says, else that of its receipt", () => {
    const bare = { traceId: TRACE, name: "helpful", value: 1 };
    expect(readLangfuseScore({ ...bare, timestamp: at(2) }, source)?.facts).toMatchObject([{ at: ms(2) }]);
    expect(readLangfuseScore(bare, source)?.facts).toMatchObject([{ at: source.receivedAt }]);
  });

  test.each<readonly [unknown, string]>([
    ["text", "must be an object"],
    [{ value: 1, traceId: "t" }, "name"],
    [{ name: "", value: 1, traceId: "t" }, "name"],
    [{ name: "n".repeat(201), value: 1, traceId: "t" }, "name"],
    [{ name: "n", value: 1, sessionId: "s" }, "traceId"],
    [{ name: "n", value: 1, traceId: "" }, "traceId"],
    [{ name: "n", value: 1, traceId: 7 }, "traceId"],
    [{ name: "n", value: 1, traceId: "t".repeat(801) }, "traceId"],
    [{ name: "n", traceId: "t" }, "value"],
    [{ name: "n", value: "x", dataType: "NUMERIC", traceId: "t" }, "value"],
    [{ name: "n", value: 2, dataType: "BOOLEAN", traceId: "t" }, "0 or 1"],
    [{ name: "n", value: 2, dataType: "CATEGORICAL", traceId: "t" }, "must be a string"],
    [{ name: "n", value: 2, dataType: "COLOR", traceId: "t" }, "dataType"],
    [{ name: "n", value: 2, traceId: "t", timestamp: "yesterday" }, "timestamp"],
  ])("is refused: %j", (body, said) => expect(() => readLangfuseScore(body, source)).toThrow(said));
});

describe("an item", () => {
  test.each<readonly [unknown, string]>([
    [null, "must be an object"],
    [item("dataset-run-item-create", {}), "type"],
    [item("dream-create", {}), "type"],
    [{ id: "1" }, "type"],
    [item("trace-create", null), "body"],
    [item("trace-create", {}), "id is missing"],
    [item("generation-create", { traceId: TRACE }), "id is missing"],
    [item("generation-create", { id: SPAN }), "traceId is missing"],
    [item("generation-create", { id: SPAN, traceId: TRACE, startTime: "noon" }), "startTime"],
    [item("generation-create", { id: SPAN, traceId: TRACE, completionStartTime: 1 }), "completionStartTime"],
    [{ ...item("trace-create", { id: TRACE }), timestamp: "now" }, "timestamp"],
  ])("is refused: %j", (sent, said) => expect(() => readLangfuseItem(sent, source)).toThrow(said));

  test("of the SDK about itself says nothing", () => expect(read("sdk-log", { log: "x" })).toEqual([]));
  test("without a time has that of its receipt", () => {
    const { timestamp: _, ...bare } = item("score-create", { traceId: TRACE, name: "n", value: 1 });
    expect(readLangfuseItem(bare, source)?.facts).toMatchObject([{ at: source.receivedAt }]);
  });
});
