import {
  type ArmAgentRuns,
  CHECK_CODES,
  type CheckCode,
  type JudgeScale,
  type ScoredCall,
} from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AT, checkOf, checksOf } from "../test-support/health.ts";
import { judge, judgedMetric, judgedOf, scored } from "../test-support/judged.ts";
import { judgedPeople } from "../test-support/judged-people.ts";
import { codes, run } from "../test-support/runs.ts";

type Summary = Parameters<typeof judgedOf>[1];
const metrics = [judgedMetric()];
const judgeCheck = (code: CheckCode, calls: readonly ScoredCall[], summary: Summary = {}, of = metrics) =>
  checkOf(code, { metrics: of, judged: [judgedOf(calls, summary)] });
const armsOf = (control: object, treatment: object) => {
  const none = { pending: 0, scored: 0, failed: 0, labels: 0 };
  return { control: { ...none, ...control }, treatment: { ...none, ...treatment } };
};
/** The same people and judge in both arms, except for `change` in treatment. */
const people = (change: Partial<Parameters<typeof judgedPeople>[1]>, both = {}) => [
  ...judgedPeople(1, { arm: "control", users: 400, good: 0.7, ...both }),
  ...judgedPeople(2, { arm: "treatment", users: 400, good: 0.7, ...both, ...change }),
];

test("checks of judges come last, and only where a metric is judged", () => {
  const call = { type: "model_call", businessMetric: null, source: "otlp", events: 1, users: 1 } as const;
  const attribution = { outcomes: [{ ...call, usersBeforeExposure: 0, usersWithoutExposure: 0 }] };
  const counts = { users: 1, sampledUsers: 0, calls: 1, sampledCalls: 1, weight: 2 };
  const sampling = [{ arm: "control", ...counts, smallestWeight: 2, largestWeight: 2 }];
  const agentRuns: readonly ArmAgentRuns[] = [];
  const all = { metrics, qaUsers: ["u"], attribution, sampling, agentRuns };
  expect(checksOf({ ...all, unit: "run" }).map(({ code }) => code)).toEqual(CHECK_CODES);
  expect(checksOf(all).map(({ code }) => code)).toEqual(CHECK_CODES.filter((code) => code !== "judge-cut"));
  const withoutRubric = checksOf({ metrics: [judgedMetric({ judge: null })] });
  expect(withoutRubric.filter(({ code }) => code.startsWith("judge-"))).toEqual([]);
});

test("before anything is drawn, checks of judges have no data", () => {
  const checks = checksOf({ metrics, unit: "run" }).filter(({ code }) => code.startsWith("judge-"));
  expect(checks.map(({ severity, value }) => [severity, value])).toEqual(
    Array.from({ length: 6 }, () => ["no-data", null]),
  );
  expect(checks.every(({ detail }) => detail.startsWith("quality: "))).toBe(true);
});

describe("the backlog", () => {
  const hours = (count: number) => AT - count * 3_600_000;
  test.each([
    { what: "nothing waits", pending: 0, oldest: null, severity: "ok" },
    { what: "few have waited for long", pending: 9, oldest: hours(48), severity: "info" },
    { what: "many wait, but not for long", pending: 10, oldest: hours(11.9), severity: "info" },
    { what: "many have waited since last night", pending: 10, oldest: hours(12), severity: "warning" },
  ])("is $severity when $what", ({ pending, oldest, severity }) => {
    const arms = armsOf({ scored: 100 }, { pending, scored: 90, failed: 10 - pending });
    const check = judgeCheck("judge-backlog", [], { arms, oldestPendingAt: oldest });
    expect(check).toMatchObject({
      severity,
      measure: "share",
      threshold: 0.1,
      value: pending / 100,
      since: oldest,
      arms: { treatment: { count: pending, of: 100 } },
    });
    expect(check.action === null).toBe(severity === "ok");
  });

  test("says how many wait, and since when", () => {
    const arms = armsOf({ scored: 100 }, { pending: 5, scored: 95 });
    expect(judgeCheck("judge-backlog", [], { arms, oldestPendingAt: hours(1) }).detail).toBe(
      "quality: 5 of 200 drawn calls (2.5%) wait for their judgement, the first since 2026-11-19T23:00:00.000Z.",
    );
    expect(judgeCheck("judge-backlog", [], { arms, oldestPendingAt: null }).detail).toBe(
      "quality: 5 of 200 drawn calls (2.5%) wait for their judgement.",
    );
  });
});

describe("failed judgements", () => {
  test.each([
    { what: "none", control: 0, treatment: 0, severity: "ok", measure: "share" },
    { what: "few", control: 9, treatment: 9, severity: "info", measure: "share" },
    { what: "5% of an arm", control: 50, treatment: 40, severity: "warning", measure: "share" },
    { what: "few, of one arm only", control: 0, treatment: 40, severity: "warning", measure: "gap" },
  ])("$what are $severity", ({ control, treatment, severity, measure }) => {
    const arms = armsOf(
      { scored: 1000 - control, failed: control },
      { scored: 1000 - treatment, failed: treatment },
    );
    expect(judgeCheck("judge-failures", [], { arms })).toMatchObject({ severity, measure });
  });

  test("list their causes, most frequent first, then by name", () => {
    const arms = armsOf({ scored: 98, failed: 2 }, { scored: 96, failed: 4 });
    const failures = [
      { cause: "timed-out", count: 1 },
      { cause: "malformed-answer", count: 1 },
      { cause: "refused", count: 3 },
      { cause: "rejected", count: 1 },
    ] as const;
    expect(judgeCheck("judge-failures", [], { arms, failures }).detail).toBe(
      "quality: 6 of 200 judgements (3%) failed: control 2%, treatment 4%. Causes: refused 3, malformed-answer 1, rejected 1, timed-out 1.",
    );
  });

  test("are reported for the worst metric", () => {
    const arms = (failed: number) => armsOf({ scored: 1000 }, { scored: 1000 - failed, failed });
    const names = ["good", "bad", "fair"];
    const check = checkOf("judge-failures", {
      metrics: names.map((name) => judgedMetric({ name })),
      judged: [5, 90, 6].map((failed, index) => judgedOf([], { metric: names[index]!, arms: arms(failed) })),
    });
    expect(check).toMatchObject({ severity: "warning", value: 0.09 });
    expect(check.detail).toContain("bad: 90 of 2,000 judgements");
  });

  test("and pending ones are remarks of the run", () => {
    const arms = armsOf({ scored: 399, failed: 1 }, { pending: 1, scored: 399 });
    const results = run({ metrics }, {}, { judged: [judgedOf(people({}), { arms })] });
    expect(codes(results)).toEqual(expect.arrayContaining(["judge-backlog", "judge-failures"]));
  });
});

describe("the agreement with people", () => {
  test("is fine for a judge that is right nine times in ten", () => {
    const check = judgeCheck("judge-agreement", people({}, { labels: 100 }));
    expect(check).toMatchObject({ severity: "ok", action: null, arms: { control: { of: 100 } } });
    expect(check.value).toBeLessThan(0.2);
    expect(judgeCheck("judge-agreement", people({ labels: 0 }, { labels: 100 })).value).toBeLessThan(0.2);
    expect(check.detail).toMatch(/Kappa: control 0\.\d\d \(95% CI 0\.\d\d to 0\.\d\d\), treatment 0\./);
  });

  test.each([
    { what: "one arm's labels disagree in a fifth", wrong: 20, severity: "warning" },
    { what: "fewer do", wrong: 19, severity: "ok" },
  ])("is $severity when $what", ({ wrong, severity }) => {
    const labelled = (arm: string, mistakes: number) =>
      Array.from({ length: 100 }, (_, index) => {
        const score = index % 2;
        return scored({ arm, score, label: index < mistakes ? 1 - score : score });
      });
    const check = judgeCheck("judge-agreement", [...labelled("control", 0), ...labelled("treatment", wrong)]);
    expect(check).toMatchObject({ severity, value: wrong / 100 });
  });

  test("warns of a judge that passes everything, even if it is rarely wrong", () => {
    const calls = Array.from({ length: 100 }, (_, index) =>
      scored({ arm: index % 2 === 0 ? "control" : "treatment", score: 1, label: index < 10 ? 0 : 1 }),
    );
    expect(judgeCheck("judge-agreement", calls)).toMatchObject({ severity: "warning", value: 0.1 });
  });

  test("writes a kappa and bounds that round to zero without a sign", () => {
    const calls = ["control", "treatment"].flatMap((arm, fails) =>
      Array.from({ length: 60 }, (_, index) => scored({ arm, score: 1, label: index <= 3 * fails ? 0 : 1 })),
    );
    const { detail } = judgeCheck("judge-agreement", calls);
    expect(detail).toContain(
      "Kappa: control 0.00 (95% CI 0.00 to 0.00), treatment 0.00 (95% CI 0.00 to 0.00).",
    );
  });
});

describe("a judge that favors an arm", () => {
  test("warns, with the gap and both kinds of mistake", () => {
    const check = judgeCheck("judge-bias", people({ leniency: 0.6 }, { labels: 200 }), {}, [
      judgedMetric({ method: "ratio_delta" }),
    ]);
    expect(check).toMatchObject({ severity: "warning", measure: "gap", threshold: 0.02 });
    expect(check.value).toBeGreaterThan(0.1);
    expect(check.detail).toMatch(
      /a gap of \+0\.\d+ \(95% CI \+0\.\d+ to \+0\.\d+\)\. False passes: control \d+ of \d+, treatment \d+ of \d+; false fails: /,
    );
    expect(check.action).toContain("label 50 calls per arm");
  });

  test("is only info where labels correct it", () => {
    const check = judgeCheck("judge-bias", people({ leniency: 0.6 }, { labels: 200 }));
    expect(check).toMatchObject({ severity: "info", action: null });
    expect(check.detail).toContain("The labels correct the effects for it.");
  });

  test.each([
    {
      what: "equally lenient in both arms",
      change: {},
      both: { labels: 200, leniency: 0.6 },
      severity: "ok",
    },
    {
      what: "with a label in one arm only",
      change: { labels: 0 },
      both: { labels: 200 },
      severity: "no-data",
    },
    { what: "without labels", change: {}, both: {}, severity: "no-data" },
  ])("$what is $severity", ({ change, both, severity }) => {
    expect(judgeCheck("judge-bias", people(change, both)).severity).toBe(severity);
  });

  test("is found among several treatments", () => {
    const arms = ["control", "b", "c"];
    const calls = arms.flatMap((arm, seed) =>
      judgedPeople(seed + 1, { arm, users: 300, good: 0.7, labels: 300, leniency: arm === "c" ? 0.6 : 0 }),
    );
    const check = checkOf("judge-bias", { arms, metrics, judged: [judgedOf(calls)] });
    expect(check.detail).toMatch(/and c \+0\.\d+, a gap of/);
  });

  test("of several treatments, the widest is shown", () => {
    const leniencies: Readonly<Record<string, number>> = { control: 0, b: 0.9, c: 0.5 };
    for (const arms of [
      ["control", "b", "c"],
      ["control", "c", "b"],
    ]) {
      const calls = arms.flatMap((arm) =>
        judgedPeople(1, { arm, users: 300, good: 0.6, labels: 300, leniency: leniencies[arm]! }),
      );
      const check = checkOf("judge-bias", { arms, metrics, judged: [judgedOf(calls)] });
      expect(check.detail).toMatch(/and b \+0\.\d+, a gap of/);
    }
  });

  test("is a share of the scale", () => {
    const calls = people({ leniency: 0.6 }, { labels: 200 });
    const stretched = calls.map((call) => ({
      ...call,
      score: 1 + 4 * call.score,
      label: call.label && 1 + 4 * call.label,
    }));
    const labels = stretched.map((call) => ({ ...call, label: call.label === 0 ? 1 : call.label }));
    const [plain, wide] = [
      judgeCheck("judge-bias", calls),
      judgeCheck("judge-bias", labels, {}, [judgedMetric({ judge: { ...judge, scale: "1-5" } })]),
    ];
    expect(wide.value).toBeCloseTo(plain.value ?? Number.NaN, 12);
  });
});

describe("answers' lengths", () => {
  /** Each doubling of the length adds `slope` to the share of passes; treatment's answers are `factor` times as long. */
  const sized = (slope: number, factor: number) =>
    people({}, { users: 600 }).map((call, index) => {
      const answerLength = 100 * 2 ** (index % 3);
      const passes = 0.4 + slope * (index % 3) > ((index * 7_919) % 100) / 100;
      return {
        ...call,
        score: passes ? 1 : 0,
        answerLength: answerLength * (call.arm === "treatment" ? factor : 1),
      };
    });

  test("warn when the judge prefers long answers and one arm's are longer", () => {
    const check = judgeCheck("judge-length", sized(0.2, 2));
    expect(check).toMatchObject({ severity: "warning", measure: "gap", threshold: 0.02 });
    expect(check.value).toBeCloseTo(0.2, 1);
    expect(check.detail).toContain("answers of treatment are 200% as long as those of control");
    expect(check.arms.treatment?.share).toBeGreaterThan(check.arms.control?.share ?? 1);
  });

  test.each([
    { what: "the arms' answers are equally long", calls: sized(0.2, 1), severity: "ok" },
    { what: "the judge ignores length", calls: sized(0, 2), severity: "ok" },
    { what: "all answers are equally long", calls: people({}), severity: "no-data" },
    { what: "there are few users", calls: sized(0.2, 2).slice(0, 49), severity: "no-data" },
    { what: "only control is judged", calls: sized(0.2, 2).slice(0, 600), severity: "no-data" },
    { what: "only a treatment is judged", calls: sized(0.2, 2).slice(600), severity: "no-data" },
    {
      what: "all judged calls failed",
      calls: sized(0.2, 2).map((call) => ({ ...call, answerLength: 0 })),
      severity: "no-data",
    },
  ])("are $severity when $what", ({ calls, severity }) => {
    expect(judgeCheck("judge-length", calls).severity).toBe(severity);
  });
});

test.each([
  [0, "ok", null],
  [4, "info", "Write the rubric"],
  [5, "warning", "Write the rubric"],
])("of 100 transcripts of an arm, %i that a judge saw in part are %s", (cut, severity, action) => {
  const calls = Array.from({ length: 200 }, (_, index) =>
    scored({ arm: index < 100 ? "control" : "treatment", isCut: index < cut }),
  );
  const check = checkOf("judge-cut", { metrics, unit: "conversation", judged: [judgedOf(calls)] });
  expect(check).toMatchObject({ severity, value: cut / 100, threshold: 0.05 });
  expect(check.action === null ? null : check.action.slice(0, 16)).toBe(action);
  if (cut > 0)
    expect(check.detail).toBe(
      `quality: of ${cut} of 200 transcripts (${cut / 2}%) the judge saw the beginning and the end: control ${cut}%, treatment 0%.`,
    );
});

test("for any scores, every check of a judge is finite and names its metric", () => {
  const levels = { pass_fail: [0, 1], "1-5": [1, 2, 3, 4, 5], "0-1": [0, 0.25, 0.5, 1] };
  const any = fc.constantFrom<JudgeScale>("pass_fail", "1-5", "0-1").chain((scale) => {
    const score = fc.constantFrom(...levels[scale]);
    const call = fc.record({
      arm: fc.constantFrom("control", "treatment", "other"),
      userId: fc.constantFrom("u1", "u2", "u3"),
      probability: fc.double({ min: 0.01, max: 1, noNaN: true }),
      answerLength: fc.nat({ max: 5 }),
      score,
      label: fc.option(score),
    });
    return fc.record({ scale: fc.constant(scale), calls: fc.array(call) });
  });
  fc.assert(
    fc.property(any, ({ scale, calls }) => {
      const of = [judgedMetric({ judge: { ...judge, scale } })];
      const checks = checksOf({ metrics: of, judged: [judgedOf(calls.map(scored))] });
      for (const { code, value, detail } of checks.slice(-5)) {
        expect(code).toMatch(/^judge-/);
        expect(value === null || (Number.isFinite(value) && value >= 0)).toBe(true);
        expect(detail.startsWith("quality: ")).toBe(true);
        expect(detail).not.toMatch(/NaN|undefined|Infinity/);
      }
    }),
  );
});
