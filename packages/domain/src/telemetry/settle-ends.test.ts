import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { factsOfSpan, type TraceFact } from "./facts.ts";
import { settleTrace } from "./settle-trace.ts";
import type { Span } from "./span.ts";

type Values = Readonly<Record<string, Json>>;
const TRACE = "a".repeat(32);
const id = (number: number) => String(number).padStart(16, "0");
const at = (ms: number) => 1_000_000 + ms;
const CALL: Values = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };

interface SpanParts {
  readonly parent?: number;
  readonly start?: number;
  readonly isFailed?: boolean;
  readonly attributes?: Values;
  readonly events?: Span["events"];
}

function span(
  number: number,
  { parent, start = 0, attributes = {}, events = [], isFailed = false }: SpanParts,
) {
  return factsOfSpan({
    ...{ traceId: TRACE, spanId: id(number), parentId: parent === undefined ? null : id(parent) },
    ...{ scope: "s", startedAt: at(start), endedAt: at(start + 10), isFailed, events },
    attributes: new Map(Object.entries(attributes)),
  });
}

const EVALUATION = {
  ...{ name: "feature_flag.evaluation", at: at(0) },
  attributes: new Map(
    Object.entries({
      ...{ "feature_flag.key": "A", "feature_flag.result.variant": "v1" },
      "feature_flag.context.id": "ann",
    }),
  ),
};

describe("the end of a run", () => {
  const AGENT: Values = { "gen_ai.operation.name": "invoke_agent", "gen_ai.system": "openai" };
  const request = span(1, { events: [EVALUATION] });
  const step = (parent: number) => ({ parent, attributes: { "gen_ai.operation.name": "agent_step" } });
  const agent = span(2, { parent: 1, start: 5, attributes: AGENT });
  const inner = [
    ...span(3, { ...step(2), start: 6 }),
    ...span(4, { parent: 3, start: 1, attributes: AGENT }),
  ];
  const endsOf = (facts: readonly TraceFact[]) =>
    settleTrace({ traceId: TRACE, facts }, () => ({ id: "id-A", unit: "user" })).rows.filter(
      ({ type }) => type === "run_end",
    );

  test("is that of the outermost agent, and names the trace", () => {
    expect(endsOf([...request, ...agent, ...inner])).toEqual([
      {
        ...{ event_id: `${TRACE}-id-A-r${id(2)}`, type: "run_end", experiment_id: "id-A", user_id: "ann" },
        ...{ run_id: TRACE, variant: "v1", timestamp: at(15), completed: true },
        metadata: { trace_id: TRACE, span_id: id(2) },
      },
    ]);
  });

  test("is the same in any order, in parts, and sent twice", () => {
    const facts = [...request, ...agent, ...inner];
    expect(endsOf(facts.toReversed())).toEqual(endsOf(facts));
    expect(endsOf([...facts, ...facts])).toEqual(endsOf(facts));
    // The inner agent ends the run until the outer one is known, and earlier than it: of several ends the latest counts.
    const early = endsOf([...request, ...inner]);
    expect(early).toMatchObject([{ event_id: `${TRACE}-id-A-r${id(4)}`, timestamp: at(11) }]);
  });

  test("needs no span around the agent", () => {
    const alone = span(2, { attributes: AGENT, events: [EVALUATION] });
    expect(endsOf(alone)).toMatchObject([{ user_id: "ann", timestamp: at(10), completed: true }]);
  });

  test("says that the task was not done if the agent failed", () => {
    const failed = span(2, { parent: 1, attributes: AGENT, isFailed: true });
    expect(endsOf([...request, ...failed])).toMatchObject([{ completed: false }]);
  });

  test("says so if its last model call failed, and not if another one came after that", () => {
    const failing = { ...CALL, "error.type": "timeout" };
    const failed = span(6, { parent: 2, start: 8, attributes: failing });
    const whole = [...request, ...agent, ...span(7, { parent: 2, start: 6, attributes: CALL })];
    expect(endsOf([...whole, ...failed])).toMatchObject([{ completed: false }]);
    const again = span(5, { parent: 2, start: 9, attributes: CALL });
    expect(endsOf([...whole, ...again, ...failed])).toMatchObject([{ completed: true }]);
    const afterwards = span(6, { parent: 1, start: 16, attributes: failing });
    expect(endsOf([...whole, ...afterwards])).toMatchObject([{ completed: true }]);
  });

  test("is that of each of several agents after each other", () => {
    const second = span(5, { parent: 1, start: 30, attributes: AGENT });
    expect(endsOf([...request, ...agent, ...second])).toMatchObject([
      { timestamp: at(15) },
      { timestamp: at(40) },
    ]);
  });

  test("needs an evaluation, and a circle of parents has one end for each agent or none", () => {
    expect(endsOf(agent)).toEqual([]);
    const circle = [
      ...span(2, { parent: 3, attributes: AGENT }),
      ...span(3, { parent: 2, attributes: AGENT }),
    ];
    expect(endsOf([...request, ...circle])).toEqual([]);
    expect(endsOf([...request, ...span(2, { parent: 2, attributes: AGENT })])).toHaveLength(1);
  });
});
