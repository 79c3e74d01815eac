import { expect, test } from "vitest";
import { factsOfLog, factsOfSpan } from "./facts.ts";
import { samplingProbability } from "./sampling.ts";
import { ownExposures, settleTrace } from "./settle-trace.ts";

test.each([
  ["ot=th:0", 1],
  ["ot=th:8", 0.5],
  ["ot=th:c", 0.25],
  ["ot=th:e6666666666666", 0.1],
  ["ot=th:fd70a3d70a3d71", 0.01],
  ["ot=th:ffffffffffffff", 2 ** -56],
  ["vendor=a:b;th:8, ot=rv:abcdef12345678;th:c;x:y,other=1", 0.25],
])("%s keeps a share of %s", (traceState, probability) => {
  expect(samplingProbability(traceState)).toBeCloseTo(probability, 12);
});

test.each([
  "",
  "vendor=th:8",
  "ot=rv:abcdef12345678",
  "ot=th:",
  "ot=th:C",
  "ot=th:0123456789abcde",
  "ot=th:-1",
  "ot=p:8;r:62",
])("%j says nothing", (traceState) => {
  expect(samplingProbability(traceState)).toBeNull();
});

const TRACE = "a".repeat(32);
const FLAG = {
  "feature_flag.key": "A",
  "feature_flag.result.variant": "v",
  "feature_flag.context.id": "ann",
};
const SCORE = { "gen_ai.evaluation.name": "helpful", "gen_ai.evaluation.score.value": 4 };
const attributesOf = (values: Readonly<Record<string, string | number>>) => new Map(Object.entries(values));
const eventOf = (name: string, values: Readonly<Record<string, string | number>>) => ({
  ...{ name, at: 5, attributes: attributesOf(values) },
});

test.each([{ samplingProbability: 0.25 }, {}])("what a span of %j reports is sampled as the span", (kept) => {
  const events = [eventOf("feature_flag.evaluation", FLAG), eventOf("gen_ai.evaluation.result", SCORE)];
  const span = { traceId: TRACE, spanId: "b".repeat(16), parentId: null, scope: "s", isFailed: false };
  const call = attributesOf({ "gen_ai.operation.name": "chat", "gen_ai.system": "openai" });
  const facts = factsOfSpan({ ...span, ...kept, startedAt: 1, endedAt: 9, events, attributes: call });
  const experimentOf = () => ({ id: "id-A", unit: "user" }) as const;
  const { rows } = settleTrace({ traceId: TRACE, facts }, experimentOf);
  const all = [...rows, ...ownExposures({ traceId: TRACE, facts }, experimentOf)];
  const { samplingProbability } = kept;
  expect(Object.fromEntries(all.map((row) => [row.type, row.sampling_probability]))).toEqual({
    exposure: samplingProbability,
    model_call: samplingProbability,
    business_event: samplingProbability,
  });
});

test("what a log record reports comes whatever becomes of its trace", () => {
  const log = { traceId: TRACE, spanId: "b".repeat(16), body: null };
  const facts = factsOfLog({ ...log, ...eventOf("feature_flag.evaluation", FLAG) });
  const [row] = ownExposures({ traceId: TRACE, facts }, () => ({ id: "id-A", unit: "user" }));
  expect(row).toMatchObject({ type: "exposure", user_id: "ann" });
  expect(row).not.toHaveProperty("sampling_probability");
});
