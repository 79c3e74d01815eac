import { describe, expect, test } from "vitest";
import type { ExperimentOverview, MetricDefinition, Results, Tradeoff } from "../../api/types.ts";
import { decidedOf, planStatusOf } from "../experiments/overview-fixture.ts";
import { isAgainst, recommend, usualVariant } from "./recommendation.ts";

type Facts = Parameters<typeof recommend>[0];

/** What the plan says in a state; null where it was not asked. */
function planned(state: ExperimentOverview["state"]): Facts["plan_status"] {
  switch (state) {
    case "running":
    case "winning":
      return planStatusOf({ state, information: 0.6 });
    case "losing":
    case "guardrail-failing":
      return planStatusOf({ state, alarms: ALARMS });
    case "better-guardrail-open":
      return planStatusOf({ state, open: OPEN });
    case "mixed":
    case "ready-to-decide":
    case "no-difference":
      return decidedOf(state);
    default:
      return null;
  }
}

const ALARMS = [{ metric: "p95", treatment: "concise" }];
const OPEN = [{ metric: "quality", treatment: "concise", days: 6, labels: null }];

const facts = (change: Partial<Facts>): Facts => ({
  state: "running",
  control: "control",
  is_stale: false,
  failing_guardrails: change.state === "guardrail-failing" ? ALARMS : [],
  variants: ["control", "concise"],
  plan_status: planned(change.state ?? "running"),
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
    ["better-guardrail-open", "wait", "won", "concise"],
    ["mixed", "stop", "inconclusive", "control"],
    ["withheld", "stop", "invalid", null],
    ["traces-lost", "wait", "inconclusive", "control"],
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
    expect(reasons).toMatch(
      /The planned end is 18 Jan 2026; 60% of the planned information has been collected\./,
    );
  });

  test("gives the size of an effect in its unit where control is 0", () => {
    const none = { relative_effect: null, relative_ci_low: null, relative_ci_high: null };
    const bought = { metric: "bought", effect: 0.2, ci_low: 0.163, ci_high: 0.242, ...none };
    const zero = facts({ state: "winning" });
    const primary = { ...zero.primary, ...bought } as Facts["primary"];
    const metric = { name: "bought", kind: "binary", category: "business" } as MetricDefinition;
    const [reason] = recommend({ ...zero, primary }, run(), [metric]).reasons;
    expect(reason?.replaceAll("\u00a0", " ")).toBe(
      "bought, concise vs control: +20 points (95% CI +16.3 points to +24.2 points), significant after correction.",
    );
  });

  test("names failing guardrails, old and preliminary numbers", () => {
    const state = "guardrail-failing";
    const failing = facts({ state, failing_guardrails: [{ metric: "p95", treatment: "b" }], is_stale: true });
    const reasons = recommend(failing, run({ preliminary: true })).reasons.join(" ");
    expect(reasons).toMatch(
      /b is worse on the guardrail p95, by evidence that holds at any look.*preliminary.*more than two days/,
    );
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

  test("ships the treatment that the plan chose because it is cheaper", () => {
    const plan_status = decidedOf("ready-to-decide", { treatment: "b" });
    const tradeoffs = [traded("a", 9), traded("b", 5)];
    const { variant, sentence, reasons } = recommend(facts({ ...ready, tradeoffs, plan_status }), run());
    expect(variant).toBe("b");
    expect(sentence).toBe("Stop and ship b. It is cheaper and not worse by more than you accept.");
    expect(reasons.join(" ").replaceAll("\u00a0", " ")).toMatch(
      /b saves \$5\.00 per 1,000 users \(95% CI \$2\.50 to \$10\.00\), and passes is not worse by more than 0\.02\./,
    );
    expect(reasons).toContain(
      "The decision look was the night of 18 Jan 2026 (look 5): b may be shipped. Later nights change that only with evidence that holds at any look.",
    );
  });

  test("says that it is better where the decision look has met a deciding metric, whatever the newest night", () => {
    const rows = {
      "m::concise": { metric: "m", treatment: "concise", role: "primary", verdict: "inconclusive" },
    };
    const claim = { kind: "better", metric: "m", treatment: "concise", met_on: "2026-01-18" };
    const decision = { evidence: [claim], decided_on: "2026-01-18", plan_changes: [] };
    const { sentence } = recommend(facts({ ...ready }), run({ results: rows, decision }));
    expect(sentence).toBe("Stop and ship concise. It is better, and every margin is met.");
  });

  test.each<{ name: string; change: Partial<Facts>; advice: string; outcome: string; says: string }>([
    {
      name: "a loss since the decision look is weighed first",
      change: {
        state: "ready-to-decide",
        plan_status: decidedOf("ready-to-decide", { losses: [{ metric: "usd", treatment: "concise" }] }),
      },
      advice: "stop",
      outcome: "won",
      says: "Stop and ship concise. It is better, and every margin is met. But since the decision look it is significantly worse on usd: weigh that first.",
    },
    {
      name: "a margin is open after the last look",
      change: {
        state: "better-guardrail-open",
        plan_status: decidedOf("better-guardrail-open", { open: OPEN }),
      },
      advice: "wait",
      outcome: "won",
      says: "Wait until evidence that holds at any look settles it, or accept the risk: concise is better, but a guardrail is not settled: quality with concise needs about 6 more days.",
    },
    {
      name: "a margin was settled since, with a loss",
      change: { state: "better-guardrail-open", plan_status: decidedOf("better-guardrail-open") },
      advice: "wait",
      outcome: "won",
      says: "Weigh it: concise was better, and its margins are settled now, but another metric is significantly worse.",
    },
    {
      name: "mixed before the decision look goes on",
      change: { state: "mixed", plan_status: planStatusOf({ state: "mixed" }) },
      advice: "wait",
      outcome: "inconclusive",
      says: "Let it run: so far concise is better in one metric and significantly worse in another.",
    },
    {
      name: "nothing found, and a significant loss",
      change: {
        state: "no-difference",
        plan_status: decidedOf("no-difference", { losses: [{ metric: "usd", treatment: "concise" }] }),
      },
      advice: "stop",
      outcome: "lost",
      says: "Stop and keep control: nothing was found to be better, and concise is significantly worse on usd.",
    },
    {
      name: "the planned end is over with an open margin",
      change: { state: "running", plan_status: decidedOf("running", { open: OPEN }) },
      advice: "stop",
      outcome: "inconclusive",
      says: "Nothing was found to be better by the last look, 18 Jan 2026. Keep control, or let it run to settle a margin: quality with concise needs about 6 more days.",
    },
    {
      name: "the planned end is over and the margin was settled since",
      change: { state: "running", plan_status: decidedOf("running") },
      advice: "stop",
      outcome: "inconclusive",
      says: "Nothing was found to be better by the last look, 18 Jan 2026. Keep control.",
    },
    {
      name: "one of two treatments harms before the decision look",
      change: { state: "losing", variants: ["control", "concise", "b"] },
      advice: "wait",
      outcome: "inconclusive",
      says: "Disable concise and let the rest run: concise is worse.",
    },
    {
      name: "another than the chosen one harms",
      change: {
        state: "guardrail-failing",
        variants: ["control", "concise", "b"],
        plan_status: decidedOf("ready-to-decide", {
          state: "guardrail-failing",
          treatment: "b",
          alarms: [{ metric: "p95", treatment: "concise" }],
        }),
      },
      advice: "stop",
      outcome: "won",
      says: "Stop and ship b: the decision look chose it. Do not ship concise: concise made a guardrail worse.",
    },
    {
      name: "one breaks a guardrail and another loses",
      change: {
        state: "guardrail-failing",
        variants: ["control", "concise", "b"],
        plan_status: planStatusOf({
          state: "guardrail-failing",
          alarms: [...ALARMS, { metric: "cost", treatment: "b" }],
        }),
      },
      advice: "stop",
      outcome: "lost",
      says: "Stop and keep control: concise made a guardrail worse, and b is worse.",
    },
    {
      name: "the chosen one harms",
      change: {
        state: "guardrail-failing",
        plan_status: decidedOf("ready-to-decide", {
          state: "guardrail-failing",
          alarms: [{ metric: "p95", treatment: "concise" }],
        }),
      },
      advice: "stop",
      outcome: "lost",
      says: "Stop and keep control: concise made a guardrail worse.",
    },
  ])("$name", ({ change, advice, outcome, says }) => {
    const { sentence, ...rest } = recommend(facts(change), run());
    expect(sentence.replaceAll("\u00a0", " ")).toBe(says);
    expect(rest).toMatchObject({ advice, outcome });
  });

  test("a primary metric without a result is awaited, not all data", () => {
    const results = { "cost::concise": { metric: "cost", treatment: "concise", verdict: "better" } };
    const says = (change?: object) => recommend(facts({ state: "collecting" }), run(change)).sentence;
    expect(says({ results })).toMatch(/A primary metric has no result yet/);
    expect(says()).toBe("Let it run. There is not enough data for a first result.");
  });

  test("a margin with an alarm is not called unsettled", () => {
    const open = [{ metric: "p95", treatment: "concise", days: 0, labels: null }];
    const broken = planStatusOf({ state: "guardrail-failing", alarms: ALARMS, open });
    const { reasons } = recommend(facts({ state: "guardrail-failing", plan_status: broken }), run());
    expect(reasons.join(" ")).not.toMatch(/Not settled/);
  });

  test("the leader is the one that is better, where the clearest row is of another that is worse", () => {
    const rows = [
      { metric: "m", treatment: "b", role: "primary", verdict: "worse", p_value_fdr: 0.0001 },
      { metric: "m", treatment: "c", role: "primary", verdict: "better", p_value_fdr: 0.01 },
    ];
    const results = run({ results: Object.fromEntries(rows.map((row) => [row.treatment, row])) });
    const primary = { ...facts({}).primary, treatment: "b", verdict: "worse" } as Facts["primary"];
    expect(recommend(facts({ state: "winning", primary }), results).sentence).toMatch(/: c is ahead/);
  });

  test("says that a verdict rests on the judge's opinion", () => {
    const not_worse = [{ metric: "passes", margin: 0.02, worst_loss: 0.01, is_judge_opinion: true }];
    const { sentence, reasons } = recommend(
      facts({ ...ready, tradeoffs: [traded("concise", 2, { not_worse })] }),
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
  ["lost, and a treatment is chosen", "losing", { outcome: "lost", variant: "concise" }, true],
  ["lost, and control is chosen", "losing", { outcome: "lost", variant: "control" }, false],
  ["lost, and no variant is chosen", "losing", { outcome: "lost", variant: null }, false],
  ["invalid, and a treatment is chosen", "withheld", { outcome: "invalid", variant: "concise" }, true],
  ["invalid, and control is chosen", "withheld", { outcome: "invalid", variant: "control" }, false],
  [
    "nothing clear, and a treatment is chosen",
    "no-difference",
    { outcome: "inconclusive", variant: "concise" },
    false,
  ],
] as const)("isAgainst: %s", (_, state, choice, isSo) => {
  expect(isAgainst(recommend(facts({ state }), run()), choice, "control")).toBe(isSo);
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
