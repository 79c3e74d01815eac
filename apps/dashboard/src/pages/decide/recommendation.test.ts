import { describe, expect, test } from "vitest";
import type { ExperimentOverview, Results, Tradeoff } from "../../api/types.ts";
import { isAgainst, recommend, usualVariant } from "./recommendation.ts";

type Facts = Parameters<typeof recommend>[0];

const facts = (change: Partial<Facts>): Facts => ({
  state: "running",
  control: "control",
  is_stale: false,
  failing_guardrails: [],
  progress: { share: 0.6, days_to_go: 5 },
  tradeoffs: [],
  primary: {
    metric: "cost",
    treatment: "concise",
    desired: "decrease",
    effect: -1,
    ci_low: -2,
    ci_high: -0.5,
    relative_effect: -0.18,
    relative_ci_low: -0.21,
    relative_ci_high: -0.15,
    p_value_fdr: 0.001,
    significant: true,
    verdict: "better",
  },
  ...change,
});
const run = (change: object = {}): Results =>
  ({ preliminary: false, srm: { status: "passed", p_value: 0.5 }, ...change }) as Results;

describe("recommend", () => {
  test.each<[ExperimentOverview["state"], string, string, string | null]>([
    ["ready-to-decide", "stop", "won", "concise"],
    ["winning", "wait", "won", "concise"],
    ["losing", "stop", "lost", "control"],
    ["guardrail-failing", "stop", "lost", "control"],
    ["no-difference", "stop", "inconclusive", "control"],
    ["withheld", "stop", "invalid", null],
    ["collecting", "wait", "inconclusive", "control"],
    ["no-traffic", "wait", "inconclusive", "control"],
    ["failed", "wait", "inconclusive", "control"],
    ["running", "wait", "inconclusive", "control"],
  ])("%s: %s, %s, %s", (state, advice, outcome, variant) => {
    expect(recommend(facts({ state }), run())).toMatchObject({ advice, outcome, variant });
  });

  test("gives reasons with their numbers", () => {
    const reasons = recommend(facts({ state: "winning" }), run())
      .reasons.join(" ")
      .replaceAll("\u00a0", " ");
    expect(reasons).toMatch(/cost, concise vs control: −18% \(95% CI −21% to −15%\), significant/);
    expect(reasons).toMatch(/60% of the planned data is collected, about 5 days to go/);
  });

  test("names failing guardrails, old and preliminary numbers", () => {
    const state = "guardrail-failing";
    const failing = facts({ state, failing_guardrails: [{ metric: "p95", treatment: "b" }], is_stale: true });
    const reasons = recommend(failing, run({ preliminary: true })).reasons.join(" ");
    expect(reasons).toMatch(/b is worse on the guardrail p95.*preliminary.*two days old/);
    expect(recommend(facts({ primary: null }), null).reasons.join(" ")).toMatch(/No run/);
  });

  const traded = (treatment: string, usd: number, change: Partial<Tradeoff> = {}): Tradeoff => ({
    treatment,
    verdict: "cheaper-and-not-worse",
    saving: {
      metric: "cost",
      usd_per_1000_users: usd,
      ci_low: usd / 2,
      ci_high: usd * 2,
      relative_effect: null,
      relative_ci_low: null,
      relative_ci_high: null,
    },
    not_worse: [{ metric: "passes", margin: 0.02, worst_loss: 0.01, is_judge_opinion: false }],
    is_settled: true,
    ...change,
  });
  const unclear = { ...facts({}).primary, verdict: "inconclusive" } as Facts["primary"];
  const ready = { state: "ready-to-decide", primary: unclear } as const;

  test("ships what saves most, of what is settled, where nothing is better", () => {
    const tradeoffs = [traded("a", 2), traded("b", 5), traded("c", 9, { is_settled: false })];
    const { variant, sentence, reasons } = recommend(facts({ ...ready, tradeoffs }), run());
    expect(variant).toBe("b");
    expect(sentence).toBe("Stop and ship b. It is cheaper and not worse by more than you accept.");
    expect(reasons.join(" ").replaceAll("\u00a0", " ")).toMatch(
      /b saves \$5\.00 per 1,000 users \(95% CI \$2\.50 to \$10\.00\), and passes is not worse by more than 0\.02\./,
    );
  });

  test("ships what is better before what is only cheaper", () => {
    const { variant } = recommend(facts({ state: "ready-to-decide", tradeoffs: [traded("b", 5)] }), run());
    expect(variant).toBe("concise");
  });

  test("ships what is better where the clearest row is of another that is worse", () => {
    const rows = [
      { metric: "m", treatment: "b", role: "primary", verdict: "worse", p_value_fdr: 0.0001 },
      { metric: "m", treatment: "c", role: "primary", verdict: "better", p_value_fdr: 0.01 },
    ];
    const results = run({ results: Object.fromEntries(rows.map((row) => [row.treatment, row])) });
    const primary = { ...facts({}).primary, treatment: "b", verdict: "worse" } as Facts["primary"];
    expect(recommend(facts({ state: "ready-to-decide", primary }), results).variant).toBe("c");
    expect(recommend(facts({ state: "winning", primary }), results).sentence).toMatch(/: c is ahead/);
  });

  test("says that a verdict rests on the judge's opinion", () => {
    const not_worse = [{ metric: "passes", margin: 0.02, worst_loss: 0.01, is_judge_opinion: true }];
    const { sentence, reasons } = recommend(
      facts({ ...ready, tradeoffs: [traded("a", 2, { not_worse })] }),
      run(),
    );
    expect(sentence).toContain("in the judge's opinion not worse");
    expect(reasons).toContain(
      "passes is only the judge's opinion so far. Label answers before you rely on it.",
    );
    const row = { metric: "m", role: "primary", verdict: "better", judge: { calibrated: false } };
    const judged = recommend(facts({ state: "winning" }), run({ results: { "m::concise": row } }));
    expect(judged.reasons.join(" ")).toContain("m is only the judge's opinion so far");
  });

  test("names the loss that a guardrail may still have", () => {
    const row = { metric: "p95", treatment: "b", role: "guardrail", desired: "decrease", ci_high: 12 };
    const { reasons } = recommend(facts({ state: "winning" }), run({ results: { "p95::b": row } }));
    expect(reasons).toContain("No guardrail got worse, but p95 with b could still be worse by up to 12.");
  });

  test("shows no effect of a withheld run", () => {
    const halted = run({ srm: { status: "halted", p_value: 0.00004 } });
    const { reasons } = recommend(facts({ state: "withheld" }), halted);
    expect(reasons).toEqual([
      "The traffic split differs from the allocation (p < 0.0001). Results are withheld.",
    ]);
  });
});

test.each([
  ["what is recommended", "ready-to-decide", { outcome: "won", variant: "concise" }, false],
  ["another variant", "ready-to-decide", { outcome: "won", variant: "control" }, true],
  ["another outcome", "ready-to-decide", { outcome: "inconclusive", variant: "concise" }, true],
  ["stopping early", "winning", { outcome: "won", variant: "concise" }, true],
  ["any variant of a lost one", "losing", { outcome: "lost", variant: null }, false],
] as const)("isAgainst: %s", (_, state, choice, isSo) => {
  expect(isAgainst(recommend(facts({ state }), run()), choice)).toBe(isSo);
});

test.each([
  ["won", "concise"],
  ["lost", "control"],
  ["invalid", null],
] as const)("usualVariant of %s is %s", (outcome, variant) => {
  const experiment = { control: "control", variants: [{ key: "control" }, { key: "concise" }] };
  expect(usualVariant(outcome, experiment, recommend(facts({ state: "no-difference" }), run()))).toBe(
    variant,
  );
});
