import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { factKey, factsOfLog, factsOfSpan, type TraceFact } from "./facts.ts";
import { ownExposures, settleTrace, withRefusals } from "./settle-trace.ts";
import type { Span } from "./span.ts";

type Values = Readonly<Record<string, Json>>;
const TRACE = "a".repeat(32);
const id = (number: number) => String(number).padStart(16, "0");
const at = (ms: number) => 1_000_000 + ms;

/** The experiments of these tests are called by capital letters. */
const experimentOf = (flag: string) =>
  /^[A-Z]$/.test(flag) ? ({ id: `id-${flag}`, unit: "user" } as const) : null;
const settle = (facts: readonly TraceFact[]) => settleTrace({ traceId: TRACE, facts }, experimentOf);

interface SpanParts {
  readonly parent?: number;
  readonly start?: number;
  readonly attributes?: Values;
  readonly events?: Span["events"];
}

function span(number: number, { parent, start = 0, attributes = {}, events = [] }: SpanParts) {
  return factsOfSpan({
    ...{ traceId: TRACE, spanId: id(number), parentId: parent === undefined ? null : id(parent) },
    ...{ scope: "s", startedAt: at(start), endedAt: at(start + 10), isFailed: false, events },
    attributes: new Map(Object.entries(attributes)),
  });
}

const flag = (key: string, variant: string, user?: string): Values => ({
  "feature_flag.key": key,
  "feature_flag.result.variant": variant,
  ...(user === undefined ? {} : { "feature_flag.context.id": user }),
});
const evaluated = (attributes: Values, ms = 0) => ({
  name: "feature_flag.evaluation",
  at: at(ms),
  attributes: new Map(Object.entries(attributes)),
});
const log = (
  name: string,
  attributes: Values,
  {
    number,
    ms = 0,
    body = null,
  }: { readonly number?: number; readonly ms?: number; readonly body?: Json } = {},
) =>
  factsOfLog({
    ...{ traceId: TRACE, spanId: number === undefined ? null : id(number), name, at: at(ms), body },
    attributes: new Map(Object.entries(attributes)),
  });
const CALL: Values = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };
const usage = (input: number): Values => ({ "gen_ai.usage.input_tokens": input });
const score = (more: Values = {}): Values => ({
  ...{ "gen_ai.evaluation.name": "helpful", "gen_ai.evaluation.score.value": 4 },
  ...more,
});

const rowsOf = (facts: readonly TraceFact[], type: string) =>
  settle(facts).rows.filter((row) => row.type === type);
const outcomesOf = (facts: readonly TraceFact[]) => [...settle(facts).outcomes.values()];

describe("a call belongs to", () => {
  const request = span(1, { events: [evaluated(flag("A", "v1", "ann"))] });
  test("the evaluation on the span around it", () => {
    const facts = [...request, ...span(2, { parent: 1, attributes: { ...CALL, ...usage(7) } })];
    expect(rowsOf(facts, "model_call")).toEqual([
      expect.objectContaining({
        ...{ event_id: `${TRACE}-id-A-c${id(2)}`, experiment_id: "id-A", user_id: "ann", variant: "v1" },
        ...{ timestamp: at(0), input_tokens: 7, latency_ms: 10 },
      }),
    ]);
    expect(outcomesOf(facts)).toEqual(["event"]);
  });

  test("the nearest of several users in one trace", () => {
    const other = span(3, { attributes: flag("A", "v2", "bob") });
    const step = span(4, { parent: 3, attributes: { "gen_ai.operation.name": "invoke_agent" } });
    const facts = [...request, ...other, ...step, ...span(5, { parent: 4, attributes: CALL })];
    expect(rowsOf(facts, "model_call")).toMatchObject([{ user_id: "bob", variant: "v2" }]);
  });

  test("nobody when several users could be meant", () => {
    const other = span(3, { attributes: flag("A", "v2", "bob") });
    const facts = [...request, ...other, ...span(5, { attributes: CALL })];
    expect(outcomesOf(facts)).toEqual(["several-users"]);
    expect(rowsOf(facts, "model_call")).toEqual([]);
    const unnamed = [
      ...span(1, { attributes: { ...flag("A", "v1"), "user.id": "ann" } }),
      ...log("x", { "user.id": "bob" }),
    ];
    expect(outcomesOf([...unnamed, ...span(5, { attributes: CALL })])).toEqual(["several-users"]);
  });

  test("every experiment of the trace", () => {
    const facts = [
      ...request,
      ...log("feature_flag.evaluation", flag("B", "x", "ann")),
      ...span(2, { attributes: CALL }),
    ];
    expect(rowsOf(facts, "model_call").map((row) => row.experiment_id)).toEqual(["id-A", "id-B"]);
  });

  test("no experiment without one, and no user without one", () => {
    const call = span(2, { attributes: CALL });
    expect(outcomesOf([...call, ...span(1, { attributes: flag("unknown", "v", "ann") })])).toEqual([
      "no-evaluation",
    ]);
    expect(outcomesOf([...call, ...span(1, { attributes: flag("A", "v") })])).toEqual(["no-user"]);
  });

  test("the first of several evaluations for one user", () => {
    const facts = [
      ...span(1, {
        events: [evaluated(flag("A", "late", "ann"), 5), evaluated(flag("A", "early", "ann"), 1)],
      }),
      ...span(2, { attributes: CALL }),
    ];
    expect(rowsOf(facts, "model_call")).toMatchObject([{ variant: "early" }]);
  });

  test("its own evaluation, even when spans point at each other", () => {
    const circle = [
      ...span(1, { parent: 2, attributes: { ...CALL } }),
      ...span(2, { parent: 1, attributes: { "openinference.span.kind": "CHAIN" } }),
    ];
    expect(rowsOf([...request, ...circle], "model_call")).toHaveLength(1);
  });
});

describe("the user of an evaluation without one", () => {
  const named = (values: Values) => [
    ...span(1, { attributes: { ...flag("A", "v"), ...values } }),
    ...span(2, { attributes: CALL }),
  ];
  test.each([
    ["user.id", { "user.id": "ann", "enduser.id": "x", "session.id": "y" }, "ann"],
    ["enduser.id", { "enduser.id": "ann", "session.id": "y" }, "ann"],
    ["langfuse.user.id", { "langfuse.user.id": "ann" }, "ann"],
    ["session.id, for want of a better one", { "session.id": "ann" }, "ann"],
    ["a number", { "user.id": 42 }, "42"],
  ])("is %s", (_name, values, user) => {
    expect(settle(named(values)).rows.map((row) => [row.type, row.user_id])).toEqual([
      ["exposure", user],
      ["model_call", user],
    ]);
  });

  test("may be a number on the evaluation, too", () => {
    const evaluation = { ...flag("A", "v"), "feature_flag.context.id": 42 };
    const facts = [...span(1, { attributes: evaluation }), ...span(2, { attributes: CALL })];
    expect(rowsOf(facts, "model_call")).toMatchObject([{ user_id: "42", variant: "v" }]);
  });

  test("is that of the call itself before that of the trace", () => {
    const facts = [
      ...span(1, { attributes: flag("A", "v") }),
      ...span(2, { attributes: { ...CALL, "user.id": "ann" } }),
      ...log("x", { "user.id": "bob" }),
    ];
    expect(rowsOf(facts, "model_call")).toMatchObject([{ user_id: "ann" }]);
    expect(rowsOf(facts, "exposure")).toEqual([]);
  });
});

describe("exposures", () => {
  test("that name their user need no other part of the trace, and come from there alone", () => {
    const facts = span(1, {
      events: [evaluated(flag("A", "v", "ann"), 3), evaluated(flag("unknown", "v", "ann"))],
    });
    expect(ownExposures({ traceId: TRACE, facts }, experimentOf)).toEqual([
      {
        ...{ event_id: expect.stringContaining(`${TRACE}-id-A-e`), type: "exposure", experiment_id: "id-A" },
        ...{ user_id: "ann", variant: "v", timestamp: at(3), metadata: { trace_id: TRACE, span_id: id(1) } },
      },
    ]);
    expect(rowsOf(facts, "exposure")).toEqual([]);
  });

  test("without a span have none in their metadata, and an id that an event may have", () => {
    const facts = log("feature_flag", {
      "feature_flag.key": "A",
      "feature_flag.variant": "v",
      "feature_flag.context.id": "ann",
    });
    const [row] = ownExposures({ traceId: TRACE, facts }, () => ({ id: "0".repeat(36), unit: "user" }));
    expect(row?.metadata).toEqual({ trace_id: TRACE });
    expect(String(row?.event_id).length).toBeLessThanOrEqual(128);
  });

  test("need a variant", () => expect(span(1, { attributes: { "feature_flag.key": "A" } })).toEqual([]));
});

describe("calls within each other count once", () => {
  const request = span(1, { attributes: flag("A", "v", "ann") });
  const outer = span(2, {
    parent: 1,
    attributes: { ...CALL, ...usage(9), "gen_ai.request.model": "asked", "gen_ai.prompt": "Hi" },
  });
  const inner = span(4, { parent: 3, attributes: { ...CALL, "gen_ai.request.model": "sent" } });
  const step = span(3, { parent: 2, attributes: { "openinference.span.kind": "CHAIN" } });

  test("the inner one, with what only the outer one says", () => {
    const facts = [...request, ...outer, ...step, ...inner];
    expect(rowsOf(facts, "model_call")).toMatchObject([
      { event_id: `${TRACE}-id-A-c${id(4)}`, input_tokens: 9, requested_model: "sent", prompt: "Hi" },
    ]);
    expect(outcomesOf(facts)).toEqual(["outer-call", "event"]);
  });

  test("two within one take nothing from it, since it is their sum", () => {
    const second = span(5, { parent: 2, attributes: { ...CALL, ...usage(4) } });
    const rows = rowsOf([...request, ...outer, ...step, ...inner, ...second], "model_call");
    expect(rows.map((row) => row.input_tokens)).toEqual([undefined, 4]);
  });
});

describe("texts in log records", () => {
  const request = span(1, { attributes: flag("A", "v", "ann") });
  const call = span(2, { parent: 1, attributes: CALL });
  const told = (name: string, ms: number, body: Json, number: number | undefined = 2) =>
    log(name, {}, { ...(number === undefined ? {} : { number }), ms, body });
  test("are the call's prompt and answer", () => {
    const facts = [
      ...[...request, ...call, ...told("gen_ai.choice", 3, { index: 0, message: { content: "Yes" } })],
      ...[
        ...told("gen_ai.user.message", 2, { content: "Hi" }),
        ...told("gen_ai.system.message", 1, { content: "Be kind." }),
      ],
    ];
    expect(rowsOf(facts, "model_call")).toMatchObject([
      { prompt: "system: Be kind.\n\nuser: Hi", response: "Yes" },
    ]);
  });

  test("may be one of them alone, a call of a tool, or without content", () => {
    const tool = { message: { tool_calls: [{ function: { name: "look" } }] } };
    const [answered] = rowsOf([...request, ...call, ...told("gen_ai.choice", 1, tool)], "model_call");
    expect(answered).toMatchObject({ response: "[tool_call look({})]" });
    expect(answered).not.toHaveProperty("prompt");
    const [asked] = rowsOf(
      [...request, ...call, ...told("gen_ai.user.message", 1, { content: "Hi" })],
      "model_call",
    );
    expect(asked).toMatchObject({ prompt: "Hi" });
    expect(told("gen_ai.choice", 1, { content: "flat" })).toHaveLength(1);
    for (const empty of [
      told("gen_ai.user.message", 1, {}),
      told("gen_ai.user.message", 1, null),
      log("gen_ai.user.message", {}, { body: { content: "x" } }),
    ])
      expect(empty).toEqual([]);
  });
});

describe("a score", () => {
  const request = span(1, { attributes: flag("A", "v", "ann") });
  const call = span(2, { parent: 1, attributes: { ...CALL, "gen_ai.response.id": "r1" } });
  test("is an outcome of the call's user", () => {
    const facts = [
      ...request,
      ...call,
      ...log("gen_ai.evaluation.result", score({ "gen_ai.evaluation.explanation": "clear" }), {
        number: 2,
        ms: 9,
      }),
    ];
    expect(rowsOf(facts, "business_event")).toEqual([
      expect.objectContaining({
        ...{ experiment_id: "id-A", user_id: "ann", variant: "v", business_metric: "helpful", value: 4 },
        ...{ timestamp: at(9), metadata: { explanation: "clear", trace_id: TRACE } },
      }),
    ]);
  });

  test("may name the answer in place of its span", () => {
    const other = span(3, { attributes: flag("A", "w", "bob") });
    const facts = [...request, ...call, ...other];
    const scored = (responseId: string, number?: number) =>
      rowsOf(
        [
          ...facts,
          ...log(
            "gen_ai.evaluation.result",
            score({ "gen_ai.response.id": responseId }),
            number === undefined ? {} : { number },
          ),
        ],
        "business_event",
      );
    expect(scored("r1")).toMatchObject([{ user_id: "ann" }]);
    expect(scored("r1", 2)).toMatchObject([{ user_id: "ann" }]);
    expect(scored("unknown")).toEqual([]);
    const bare = [...request, ...other, ...span(6, { attributes: { "openinference.span.kind": "LLM" } })];
    expect(
      outcomesOf([...bare, ...log("gen_ai.evaluation.result", score({ "gen_ai.response.id": "r1" }))]),
    ).toEqual(["several-users", "several-users"]);
  });

  test("without a name or a number moves nothing", () => {
    expect(log("gen_ai.evaluation.result", { "gen_ai.evaluation.name": "helpful" })).toEqual([]);
    expect(log("gen_ai.evaluation.result", { "gen_ai.evaluation.score.value": 1 })).toEqual([]);
    expect(log("something.else", score())).toEqual([]);
  });
});

/** A busy trace: two users, two experiments, nested calls, scores, texts, and a user who is named nowhere near the flag. */
const busy: readonly TraceFact[] = [
  ...span(1, {
    attributes: { "user.id": "ann" },
    events: [evaluated(flag("A", "v1"), 1), evaluated(flag("B", "x", "ann"), 2)],
  }),
  ...span(2, { parent: 1, start: 3, attributes: { ...CALL, ...usage(5) } }),
  ...span(3, { parent: 2, start: 4, attributes: { ...CALL, "gen_ai.request.model": "m" } }),
  ...span(4, { parent: 1, start: 9, attributes: { ...CALL, ...usage(8), "gen_ai.response.id": "r" } }),
  ...log("feature_flag.evaluation", flag("A", "v1", "ann"), { number: 4, ms: 8 }),
  ...log("gen_ai.user.message", {}, { number: 4, ms: 9, body: { content: "Hi" } }),
  ...log("gen_ai.choice", {}, { number: 4, ms: 10, body: { message: { content: "Yes" } } }),
  ...log("gen_ai.evaluation.result", score({ "gen_ai.response.id": "r" }), { ms: 20 }),
  ...log("gen_ai.evaluation.result", score(), { number: 3, ms: 21 }),
];

test("the order of a trace's parts, and repetitions of them, change nothing", () => {
  const expected = settle(busy);
  expect(expected.rows.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["exposure", "model_call", "business_event"]),
  );
  const mixed = fc.tuple(
    fc.shuffledSubarray([...busy], { minLength: busy.length, maxLength: busy.length }),
    fc.array(fc.constantFrom(...busy), { maxLength: 20 }),
  );
  fc.assert(
    fc.property(mixed, ([shuffled, more]) => {
      expect(settle([...shuffled, ...more])).toEqual(expected);
      expect(settle([...more, ...shuffled])).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
});

test("a deep trace takes time as its size", () => {
  const spans = Array.from({ length: 5_000 }, (_, index) =>
    // The outermost span has no evaluation, and those of the whole trace are of two users.
    span(index + 1, {
      ...(index === 0 ? {} : { parent: index }),
      attributes: { ...CALL, "gen_ai.response.id": `r${index}` },
      events: [evaluated(flag("A", "v1", index < 2_500 ? "ann" : "bob"), index)].slice(0, index % 2),
    }),
  ).flat();
  const scores = Array.from({ length: 2_000 }, (_, index) =>
    log("gen_ai.evaluation.result", score({ "gen_ai.response.id": `r${index}` }), { ms: index }),
  ).flat();
  const startedAt = performance.now();
  const { outcomes } = settle([...spans, ...scores]);
  expect(outcomes.size).toBe(7_000);
  expect(Object.groupBy(outcomes.values(), (outcome) => outcome).event).toHaveLength(2_000);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test("calls around each other in a ring are events at most once", () => {
  const ring = [1, 2, 3].flatMap((number) =>
    span(number, {
      parent: (number % 3) + 1,
      attributes: number === 2 ? { "gen_ai.system": "openai" } : CALL,
    }),
  );
  const { outcomes } = settle([...ring, ...span(9, { events: [evaluated(flag("A", "v", "ann"))] })]);
  expect([...outcomes.values()]).toEqual(["outer-call", "outer-call"]);
  const single = span(1, { parent: 1, attributes: CALL, events: [evaluated(flag("A", "v", "ann"))] });
  expect(settle(single).outcomes.get(factKey(single.find(({ kind }) => kind === "call")!))).toBe("event");
});

test("a span about other things says nothing", () => {
  expect(span(2, { parent: 1, attributes: { "http.request.method": "GET" } })).toEqual([]);
});

test("every fact of a trace has its own key", () => {
  expect(new Set(busy.map(factKey)).size).toBe(busy.length);
});

test("a call or a score all of whose rows were refused is no event", () => {
  const flags = [evaluated(flag("A", "a", "ann")), evaluated(flag("B", "b", "ann"))];
  const facts = [
    ...span(1, { attributes: { ...CALL, ...usage(1) }, events: flags }),
    ...log("gen_ai.evaluation.result", score(), { number: 1 }),
  ];
  const settled = settle(facts);
  const [one, other, ...scores] = settled.rows.map(({ event_id }) => event_id);
  const outcomes = (refused: readonly unknown[]) => [
    ...withRefusals(TRACE, settled, new Set(refused)).values(),
  ];
  expect(outcomes([one, ...scores])).toEqual(["event", "refused"]);
  expect(outcomes([one, other])).toEqual(["refused", "event"]);
});
