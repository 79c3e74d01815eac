import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { factsOfLog, factsOfSpan, type TraceFact } from "./facts.ts";
import { ownExposures, settleTrace } from "./settle-trace.ts";
import type { Span } from "./span.ts";

type Values = Readonly<Record<string, Json>>;
const TRACE = "a".repeat(32);
const id = (number: number) => String(number).padStart(16, "0");
const at = (ms: number) => 1_000_000 + ms;

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
const TOOL: Values = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" };
const CALL: Values = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };
const score = (more: Values = {}): Values => ({
  ...{ "gen_ai.evaluation.name": "helpful", "gen_ai.evaluation.score.value": 4 },
  ...more,
});

describe("where the unit is not the user", () => {
  const settleAs = (unit: "conversation" | "run", facts: readonly TraceFact[]) => {
    const trace = { traceId: TRACE, facts };
    const find = (name: string) => (name === "A" ? { id: "id-A", unit } : null);
    return { ...settleTrace(trace, find), own: ownExposures(trace, find) };
  };

  test("a trace is a run: its calls of models and tools name it", () => {
    const facts = [
      ...span(1, { events: [evaluated(flag("A", "v1", "ann"))] }),
      ...span(2, { parent: 1, start: 3, attributes: CALL }),
      ...span(3, { parent: 1, start: 5, attributes: TOOL }),
    ];
    const { rows, outcomes } = settleAs("run", facts);
    const common = { user_id: "ann", unit_id: TRACE, run_id: TRACE, variant: "v1" };
    expect(rows).toEqual([
      expect.objectContaining({ ...common, type: "model_call", timestamp: at(3) }),
      expect.objectContaining({
        ...{ ...common, type: "tool_call", tool_name: "search", timestamp: at(5), latency_ms: 10 },
        event_id: `${TRACE}-id-A-x${id(3)}`,
      }),
    ]);
    expect([...outcomes]).toEqual([
      [`c${id(2)}`, "event"],
      [`x${id(3)}`, "event"],
    ]);
  });

  test("a tool that is called outside of every experiment is no event", () => {
    const { rows, outcomes } = settleAs("run", span(3, { attributes: TOOL }));
    expect([rows, [...outcomes.values()]]).toEqual([[], ["no-evaluation"]]);
  });
  const request = span(1, { events: [evaluated(flag("A", "v", "ann"))] });
  const call = (number: number, conversation?: string) =>
    span(number, {
      parent: 1,
      attributes: {
        ...CALL,
        ...(conversation === undefined ? {} : { "gen_ai.conversation.id": conversation }),
      },
    });
  const scored = log("gen_ai.evaluation.result", score(), { number: 2 });

  test("a trace is a run, and its evaluations are exposures at once", () => {
    const { rows, own } = settleAs("run", [...request, ...call(2), ...scored]);
    expect(own.map(({ type, user_id, unit_id }) => [type, user_id, unit_id])).toEqual([
      ["exposure", "ann", TRACE],
    ]);
    expect(rows.map(({ type, unit_id }) => [type, unit_id])).toEqual([
      ["model_call", TRACE],
      ["business_event", TRACE],
    ]);
  });

  test("calls name the conversation, so its exposures wait for them", () => {
    const { rows, own } = settleAs("conversation", [...request, ...call(2, "c1"), ...call(3), ...scored]);
    expect(own).toEqual([]);
    expect(rows.map(({ type, user_id, unit_id }) => [type, user_id, unit_id])).toEqual([
      ["exposure", "ann", "c1"],
      ["model_call", "ann", "c1"],
      ["model_call", "ann", "c1"],
      ["business_event", "ann", "c1"],
    ]);
  });

  test.each([
    ["no conversation", call(2)],
    ["several conversations", [...call(2, "c1"), ...call(3, "c2")]],
  ])("a trace with %s is of no unit", (_, calls) => {
    const { rows, outcomes, own } = settleAs("conversation", [...request, ...calls]);
    expect([rows, own]).toEqual([[], []]);
    expect(new Set(outcomes.values())).toEqual(new Set(["no-unit"]));
  });
});
