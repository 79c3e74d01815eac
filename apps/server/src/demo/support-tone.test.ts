import { parseDay } from "@assay/domain";
import { expect, test } from "vitest";
import type { DemoOutcome } from "./demo-traffic.ts";
import data from "./support-tone.json" with { type: "json" };
import { supportTone } from "./support-tone.ts";

const VARIANTS = ["control", "concise", "friendly"] as const;
type Variant = (typeof VARIANTS)[number];

const users = supportTone.users(parseDay("2026-02-20")!);
const callsOf = (outcomes: readonly DemoOutcome[]) => outcomes.filter(({ type }) => type === "model_call");
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const outcomesUnder = (variant: Variant) => users.map((user) => supportTone.outcomes(user, variant));

test("every question has three answers, no two texts are the same, and topics have four questions", () => {
  expect(data.questions.length).toBeGreaterThanOrEqual(60);
  for (const { answers } of data.questions) expect(Object.keys(answers)).toEqual(VARIANTS);
  const texts = data.questions.flatMap(({ question, answers }) => [question, ...Object.values(answers)]);
  expect(new Set(texts).size).toBe(data.questions.length * 4);
  for (const [first, { topic }] of data.questions.entries())
    expect(topic).toBe(data.questions[first - (first % 4)]?.topic);
});

test.each(data.questions)(
  "$question: concise is much shorter, friendly longer, and the facts are said",
  (item) => {
    const { control, concise, friendly } = item.answers;
    expect(concise.length).toBeLessThan(0.75 * control.length);
    expect(friendly.length).toBeGreaterThan(1.05 * control.length);
    expect(item.facts.length).toBeGreaterThan(1);
    const said = (text: string) =>
      item.facts.filter((fact) => text.toLowerCase().includes(fact.toLowerCase()));
    for (const text of [control, concise, friendly]) expect(said(text).length).toBeGreaterThan(0);
    // A fact that no answer has would be a slip of the pen.
    const all = new Set([control, concise, friendly].flatMap(said));
    expect([...all].sort()).toEqual([...item.facts].sort());
  },
);

test.each([
  ["control", 0, 1, 'Complete: it says "Settings > Billing", "PDF", "billing admin".'],
  ["concise", 2, 0.67, 'It says "annual", "10 members", and leaves out "30 days".'],
  ["concise", 10, 0.5, 'It says "from the day they accept", and leaves out "rest of the period".'],
] as const)(
  "the judge of the %s answer to question %i gives %d and says why",
  (variant, question, score, reason) => {
    expect(supportTone.judge(data.questions[question]!.answers[variant])).toEqual({ score, reason });
  },
);

test("readers agree with the judge, but one in five takes off a quarter", () => {
  const texts = data.questions.flatMap(({ answers }) => Object.values(answers));
  const gaps = texts.map((text) => supportTone.judge(text)!.score - supportTone.label(text)!);
  expect(new Set(gaps.map((gap) => Math.round(gap * 100) / 100))).toEqual(new Set([0, 0.25]));
  for (const [variant] of VARIANTS.entries()) {
    const own = gaps.filter((_, number) => number % VARIANTS.length === variant);
    expect(own.filter((gap) => gap > 0).length / own.length).toBeCloseTo(0.2, 1);
  }
});

test("users ask one to three questions about one topic, in a conversation if more than one", () => {
  const topicOf = new Map(data.questions.map(({ question, topic }) => [question, topic]));
  const counts = [0, 0, 0, 0];
  for (const outcomes of outcomesUnder("concise")) {
    const calls = callsOf(outcomes);
    counts[calls.length]!++;
    const conversation =
      calls.length === 1 ? undefined : { conversation_id: expect.stringMatching(/^chat-/) };
    expect(calls.map(({ fields }) => fields.metadata)).toEqual(calls.map(() => conversation));
    const turns = JSON.parse(String(calls.at(-1)?.fields.prompt)) as { role: string; content: string }[];
    expect(turns.map(({ role }) => role)).toEqual([
      "system",
      ...calls.flatMap(() => ["user", "assistant"]).slice(0, -1),
    ]);
    const asked = turns.filter(({ role }) => role === "user").map(({ content }) => content);
    expect(new Set(asked).size).toBe(calls.length);
    expect(new Set(asked.map((question) => topicOf.get(question))).size).toBe(1);
  }
  const shares = counts.map((count) => count / users.length);
  for (const [asked, share] of [0, 0.65, 0.25, 0.1].entries()) expect(shares[asked]).toBeCloseTo(share, 1);
});

test.each(VARIANTS)("tokens of %s are counted from the texts, and latency follows from them", (variant) => {
  for (const outcomes of outcomesUnder(variant))
    for (const { fields } of callsOf(outcomes)) {
      const turns = JSON.parse(String(fields.prompt)) as { content: string }[];
      expect(fields.input_tokens).toBe(Math.ceil(turns.map(({ content }) => content).join("").length / 4));
      const tokens = Math.ceil(String(fields.response).length / 4);
      expect(fields.output_tokens).toBe(tokens);
      const usual = 400 + 12 * tokens;
      expect(Number(fields.latency_ms) / usual).toBeGreaterThan(0.745);
      expect(Number(fields.latency_ms) / usual).toBeLessThan(1.255);
    }
});

test.each<[Variant, number]>([
  ["control", 0.62],
  ["concise", 0.6],
  ["friendly", 0.72],
])(
  "with %s about %d of the users have their matter resolved, at the end of their questions",
  (variant, share) => {
    const all = outcomesUnder(variant);
    const last = all.map((outcomes) => outcomes.at(-1)!);
    expect(new Set(last.map(({ fields }) => fields.business_metric))).toEqual(new Set(["resolved"]));
    // Two standard errors of 900 users.
    expect(Math.abs(mean(last.map(({ fields }) => Number(fields.value))) - share)).toBeLessThan(0.035);
    for (const outcomes of all) {
      const times = outcomes.map(({ afterMs }) => afterMs);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
  },
);

test.each<[Variant, number]>([
  ["control", 0.95],
  ["concise", 0.91],
  ["friendly", 0.98],
])("the judge gives the answers of %s %d on average", (variant, score) => {
  const scores = data.questions.map(({ answers }) => supportTone.judge(answers[variant])!.score);
  expect(mean(scores)).toBeCloseTo(score, 2);
});
