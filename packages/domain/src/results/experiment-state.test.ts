import { describe, expect, test } from "vitest";
import type { Decision, DecisionOutcome } from "../experiment/config.ts";
import { better, facts, now, planned, row, run, withRows } from "../test-support/experiment-facts.ts";
import { DAY_MS, type Day } from "../time/day.ts";
import {
  decidingRows,
  decisionProgress,
  decisiveRows,
  type ExperimentFacts,
  type ExperimentState,
  experimentState,
  failingGuardrails,
  isStale,
  leadingRow,
  needsAttention,
} from "./experiment-state.ts";
import type { DecisionSummary } from "./run-summary.ts";

const decided = (outcome: DecisionOutcome): Decision => ({ outcome, variant: null, note: null });
const failedNight = { outcome: "failed", finishedAt: now - 9 * 3_600_000 } as const;
const nothing = { exposures: 0, lastExposureOn: null };

interface Case {
  readonly what: string;
  readonly of: ExperimentFacts;
  readonly state: ExperimentState;
  readonly attention: boolean;
}

const cases: readonly Case[] = [
  { what: "a draft", of: facts({ status: "draft" }), state: "draft", attention: false },
  {
    what: "a draft whose run was withheld",
    of: facts({ status: "draft", lastRun: run([], { srmStatus: "halted" }) }),
    state: "draft",
    attention: false,
  },
  {
    what: "a shipped experiment with a decision",
    of: facts({ status: "shipped", decision: decided("won"), lastNight: failedNight }),
    state: "shipped",
    attention: false,
  },
  {
    what: "an experiment stopped without a decision",
    of: facts({ status: "stopped" }),
    state: "stopped",
    attention: false,
  },
  ...(["won", "lost", "inconclusive", "invalid"] as const).map(
    (outcome): Case => ({
      what: `an experiment stopped as ${outcome}`,
      of: facts({ status: "stopped", decision: decided(outcome), lastNight: failedNight }),
      state: `stopped-${outcome}`,
      attention: false,
    }),
  ),
  {
    what: "an archived experiment with a decision",
    of: facts({ status: "archived", decision: decided("won"), lastNight: failedNight }),
    state: "archived",
    attention: false,
  },
  {
    what: "a held experiment, halted by the SRM gate",
    of: facts({ isHeld: true, lastRun: run([], { srmStatus: "halted" }) }),
    state: "held",
    attention: true,
  },
  {
    what: "a run halted by the SRM gate",
    of: facts({ lastRun: run([], { srmStatus: "halted" }) }),
    state: "withheld",
    attention: true,
  },
  {
    what: "a run withheld for lost traces",
    of: facts({ lastRun: run([], { withheldBy: "lost-traces", worstRemark: "critical" }) }),
    state: "traces-lost",
    attention: true,
  },
  {
    what: "a run halted by the SRM gate, the last night failed",
    of: facts({ lastRun: run([], { srmStatus: "halted" }), lastNight: failedNight }),
    state: "withheld",
    attention: true,
  },
  {
    what: "a winner in a run with a critical remark",
    of: facts({ lastRun: run([better], { worstRemark: "critical" }) }),
    state: "data-fault",
    attention: true,
  },
  {
    what: "a run without rows with a critical remark",
    of: facts({ lastRun: run([], { worstRemark: "critical" }) }),
    state: "collecting",
    attention: false,
  },
  {
    what: "a winner in a run with a warning",
    of: facts({ lastRun: run([better], { worstRemark: "warning", decision: planned("winning") }) }),
    state: "winning",
    attention: false,
  },
  {
    what: "no run, the last night failed",
    of: facts({ lastNight: failedNight }),
    state: "failed",
    attention: true,
  },
  {
    what: "a run without rows, the last night failed",
    of: facts({ lastRun: run([]), lastNight: failedNight }),
    state: "failed",
    attention: true,
  },
  {
    what: "a run with rows, the last night failed",
    of: withRows([row()], { lastNight: failedNight }),
    state: "running",
    attention: true,
  },
  { what: "no run and no exposure", of: facts(nothing), state: "no-traffic", attention: true },
  {
    what: "no exposure since a change of today",
    of: facts({ ...nothing, changedAt: now - DAY_MS }),
    state: "no-traffic",
    attention: false,
  },
  { what: "no run and no night", of: facts({ lastNight: null }), state: "collecting", attention: false },
  { what: "a run without rows", of: facts({ lastRun: run([]) }), state: "collecting", attention: false },
  {
    what: "rows, but none of the primary metric",
    of: withRows([row({ metric: "other", role: "secondary", verdict: "better" })]),
    state: "collecting",
    attention: false,
  },
  {
    what: "a guardrail that fails, no other row yet",
    of: facts({
      lastRun: run([row({ metric: "g", role: "guardrail" })], { decision: planned("guardrail-failing") }),
    }),
    state: "guardrail-failing",
    attention: true,
  },
  {
    what: "a significant row in a run older than decision plans",
    of: withRows([better]),
    state: "running",
    attention: false,
  },
  ...(
    [
      ["running", false],
      ["winning", false],
      ["better-guardrail-open", true],
      ["mixed", true],
      ["ready-to-decide", true],
      ["no-difference", true],
      ["losing", true],
      ["guardrail-failing", true],
    ] as const
  ).map(
    ([state, attention]): Case => ({
      what: `an experiment whose plan says ${state}`,
      of: facts({ lastRun: run([row()], { decision: planned(state) }) }),
      state,
      attention,
    }),
  ),
];

describe("an experiment's state", () => {
  test.each(cases)("of $what is $state, attention $attention", ({ of, state, attention }) => {
    expect(experimentState(of)).toBe(state);
    expect(needsAttention(of, now)).toBe(attention);
  });
});

describe("a running experiment", () => {
  const night = (outcome: "computed" | "collecting" | "failed", days: number) => ({
    outcome,
    finishedAt: now - days * DAY_MS,
  });
  const runBefore = (days: number) => run([row()], { computedAt: now - days * DAY_MS });

  test.each<{ what: string; change: Partial<ExperimentFacts>; stale: boolean }>([
    { what: "with nothing yet", change: { ...nothing, lastNight: null }, stale: false },
    {
      what: "exposed the day before yesterday",
      change: { lastExposureOn: "2026-06-08" as Day },
      stale: false,
    },
    { what: "exposed three days ago", change: { lastExposureOn: "2026-06-07" as Day }, stale: true },
    {
      what: "analysed two days ago",
      change: { lastRun: runBefore(2), lastNight: night("computed", 2) },
      stale: false,
    },
    {
      what: "analysed more than two days ago",
      change: { lastRun: runBefore(2.1), lastNight: night("computed", 2.1) },
      stale: true,
    },
    {
      what: "analysed three days ago, last night collecting",
      change: { lastRun: runBefore(3), lastNight: night("collecting", 0.4) },
      stale: false,
    },
    {
      what: "analysed three days ago, last night failed",
      change: { lastRun: runBefore(3), lastNight: night("failed", 0.4) },
      stale: true,
    },
    {
      what: "analysed three days ago, last night still running",
      change: { lastRun: runBefore(3), lastNight: { outcome: "computed", finishedAt: null } },
      stale: true,
    },
    {
      what: "never analysed, the last night three days ago",
      change: { lastNight: night("collecting", 3) },
      stale: true,
    },
  ])("$what is stale: $stale", ({ change, stale }) => {
    expect(isStale(facts(change), now)).toBe(stale);
    expect(isStale(facts({ ...change, status: "stopped" }), now)).toBe(false);
    expect(isStale(facts({ ...change, isDemo: true }), now)).toBe(false);
    expect(isStale(facts({ ...change, isHeld: true }), now)).toBe(false);
    if (stale) expect(needsAttention(facts(change), now)).toBe(true);
  });

  test("that is stale needs no attention on the day after a change", () => {
    const stale = facts({ lastExposureOn: "2026-06-01" as Day, changedAt: now - DAY_MS });
    expect([isStale(stale, now), needsAttention(stale, now)]).toEqual([true, false]);
  });
});

describe("the decisive rows", () => {
  test("are the primary ones, and the one with the smallest p-value leads", () => {
    const rows = [row({ pValue: 0.4 }), row({ pValue: 0.1, treatment: "c" }), row({ pValue: 0.2 })];
    const decisive = decisiveRows(withRows([row({ role: "secondary", pValue: 0 }), ...rows]));
    expect(decisive).toEqual(rows);
    expect(leadingRow(decisive)).toBe(rows[1]);
    expect(leadingRow([])).toBeNull();
    expect(decisiveRows(facts({ primaryMetrics: [] }))).toEqual([]);
  });

  test("leave guardrails out unless there is nothing else", () => {
    const guardrail = row({ role: "guardrail" });
    const other = row({ role: "secondary" });
    expect(decidingRows([guardrail, other])).toEqual([other]);
    expect(decidingRows([guardrail])).toEqual([guardrail]);
  });

  test("are searched for failing guardrails", () => {
    const alarms = [
      { metric: "m", treatment: "b" },
      { metric: "g", treatment: "b" },
    ];
    const rows = [row(), row({ metric: "g", role: "guardrail" })];
    const lastRun = run(rows, { decision: planned("guardrail-failing", { alarms }) });
    expect(failingGuardrails(lastRun)).toEqual([alarms[1]]);
    expect(failingGuardrails(run(rows))).toEqual([]);
    expect(failingGuardrails(null)).toEqual([]);
  });
});

describe("the progress of a decision", () => {
  test("is the share of the planned information, and the days to the planned end", () => {
    const lastRun = run([row()], { decision: planned("running") });
    expect(decisionProgress(facts({ lastRun }))).toEqual({ share: 0.4, daysToGo: 19 });
  });

  test("has no days to go once it is decided or past its end", () => {
    const days = (change: Partial<DecisionSummary>) =>
      decisionProgress(facts({ lastRun: run([row()], { decision: planned("running", change) }) }))?.daysToGo;
    expect(days({ decidedOn: "2026-06-01" as Day })).toBe(0);
    expect(days({ plannedEnd: now - 9 * DAY_MS })).toBe(0);
  });

  test("is unknown without a run or without a plan", () => {
    expect(decisionProgress(facts())).toBeNull();
    expect(decisionProgress(withRows([row()]))).toBeNull();
  });
});
