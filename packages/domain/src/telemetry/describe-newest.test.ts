import { expect, test } from "vitest";
import { describeNewest } from "./describe-newest.ts";
import { type CallFact, type EvaluationFact, factsOfLog, factsOfSpan } from "./facts.ts";

const IDS = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
const attributes = new Map([
  ["feature_flag.key", "greeting"],
  ["feature_flag.result.variant", "b"],
]);

function callOf(
  values: Readonly<Record<string, string>>,
  samplingProbability: number | null = null,
): CallFact {
  const span = {
    ...IDS,
    parentId: null,
    scope: "x 1.0",
    startedAt: 7,
    endedAt: 9,
    isFailed: false,
    events: [],
    samplingProbability,
  };
  const facts = factsOfSpan({ ...span, attributes: new Map(Object.entries(values)) });
  return facts.find((fact) => fact.kind === "call") as CallFact;
}
const CHAT = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };

test("the newest call is described by its instrumentation, dialect and model", () => {
  const common = {
    scope: "x 1.0",
    dialect: "opentelemetry-1.36/1.36",
    startedAt: 7,
    traceId: "t",
    outcome: "event",
    samplingProbability: null,
    unreadAttributes: 0,
  };
  const described = (values: Readonly<Record<string, string>>) =>
    describeNewest({
      call: { traceId: "t", fact: callOf({ ...CHAT, ...values }), outcome: "event" },
      evaluation: null,
    });
  expect(described({ "gen_ai.response.model": "m-2", "gen_ai.request.model": "m" })).toEqual({
    lastCall: { ...common, dialect: expect.stringMatching(/^opentelemetry-1.36/), model: "m-2" },
    lastEvaluation: null,
  });
  expect(described({ "gen_ai.request.model": "m" }).lastCall?.model).toBe("m");
  expect(described({}).lastCall?.model).toBeNull();
  expect(described({ "team.name": "search", "team.size": "3" }).lastCall?.unreadAttributes).toBe(2);
  const sampled = { traceId: "t", fact: callOf(CHAT, 0.25), outcome: "event" } as const;
  expect(describeNewest({ call: sampled, evaluation: null }).lastCall?.samplingProbability).toBe(0.25);
});

test("a call of an older version without metadata has no dialect", () => {
  const { fields: _, ...fact } = callOf(CHAT);
  const found = describeNewest({
    call: { traceId: "t", fact: { ...fact, fields: {} }, outcome: "waiting" },
    evaluation: null,
  });
  expect(found.lastCall).toMatchObject({
    dialect: null,
    model: null,
    samplingProbability: null,
    outcome: "waiting",
  });
});

test("the newest evaluation says how it came", () => {
  const log = { ...IDS, name: "feature_flag.evaluation", at: 5, body: null, attributes };
  const [fact] = factsOfLog(log) as readonly [EvaluationFact];
  expect(describeNewest({ call: null, evaluation: { traceId: "t", fact } })).toEqual({
    lastCall: null,
    lastEvaluation: {
      ...{ flag: "greeting", variant: "b", userId: null, evaluatedAt: 5, traceId: "t", isLogged: true },
    },
  });
});
