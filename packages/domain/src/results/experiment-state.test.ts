import { describe, expect, test } from "vitest";
import type { Decision, DecisionOutcome } from "../experiment/config.ts";
import { better, facts, now, reached, row, run, withRows, worse } from "../test-support/experiment-facts.ts";
import { DAY_MS, type Day } from "../time/day.ts";
import {
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
    what: "one stopped without a word",
    of: facts({ status: "stopped" }),
    state: "stopped",
    attention: false,
  },
  ...(["won", "lost", "inconclusive", "invalid"] as const).map(
    (outcome): Case => ({
      what: `one stopped as ${outcome}`,
      of: facts({ status: "stopped", decision: decided(outcome), lastNight: failedNight }),
      state: `stopped-${outcome}`,
      attention: false,
    }),
  ),
  {
    what: "one archived, whatever was decided",
    of: facts({ status: "archived", decision: decided("won"), lastNight: failedNight }),
    state: "archived",
    attention: false,
  },
  {
    what: "a halted gate",
    of: facts({ lastRun: run([], { srmStatus: "halted" }) }),
    state: "withheld",
    attention: true,
  },
  {
    what: "a halted gate, the last night failed",
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
    what: "a failing guardrail in a run with a critical remark",
    of: facts({ lastRun: run([row({ role: "guardrail", verdict: "worse" })], { worstRemark: "critical" }) }),
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
    of: facts({ lastRun: run([better], { worstRemark: "warning" }) }),
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
  { what: "no run, no night", of: facts({ lastNight: null }), state: "collecting", attention: false },
  { what: "a run without rows", of: facts({ lastRun: run([]) }), state: "collecting", attention: false },
  {
    what: "rows, none of the primary metric",
    of: withRows([row({ metric: "other", role: "secondary", verdict: "better", progress: reached })]),
    state: "collecting",
    attention: false,
  },
  {
    what: "a primary metric that was chosen after the run",
    of: withRows([row({ role: "secondary", verdict: "better" })]),
    state: "winning",
    attention: false,
  },
  {
    what: "a guardrail that got worse beside a win",
    of: withRows([better, row({ role: "guardrail", verdict: "worse" })]),
    state: "guardrail-failing",
    attention: true,
  },
  {
    what: "a guardrail that got worse, no other row yet",
    of: withRows([row({ metric: "g", role: "guardrail", verdict: "worse" })]),
    state: "guardrail-failing",
    attention: true,
  },
  {
    what: "a guardrail that got better",
    of: withRows([row(), row({ role: "guardrail", verdict: "better" })]),
    state: "running",
    attention: false,
  },
  { what: "a win too early", of: withRows([better]), state: "winning", attention: false },
  {
    what: "a win at its target",
    of: withRows([{ ...better, progress: reached }]),
    state: "ready-to-decide",
    attention: true,
  },
  {
    what: "a win before its target that holds whenever one looks",
    of: withRows([{ ...better, pValueSeqFdr: 0.049 }]),
    state: "ready-to-decide",
    attention: true,
  },
  {
    what: "a win before its target at exactly the level",
    of: withRows([{ ...better, pValueSeqFdr: 0.05 }]),
    state: "winning",
    attention: false,
  },
  {
    what: "a win before its target of a run without always-valid p-values",
    of: withRows([{ ...better, pValueSeqFdr: null }]),
    state: "winning",
    attention: false,
  },
  {
    what: "a win without a forecast",
    of: withRows([{ ...better, progress: null }]),
    state: "ready-to-decide",
    attention: true,
  },
  {
    what: "a win whose target is out of sight",
    of: withRows([{ ...better, progress: { share: 0.1, daysToGo: null } }]),
    state: "winning",
    attention: false,
  },
  {
    what: "a win at its target in an early look",
    of: facts({ lastRun: run([{ ...better, progress: reached }], { preliminary: true }) }),
    state: "winning",
    attention: false,
  },
  {
    what: "a win at its target, another primary metric without a row",
    of: withRows([{ ...better, progress: reached }], { primaryMetrics: ["m", "late"] }),
    state: "winning",
    attention: false,
  },
  {
    what: "one treatment that wins and one that loses",
    of: withRows([worse, { ...better, treatment: "c", progress: reached }]),
    state: "ready-to-decide",
    attention: true,
  },
  {
    what: "a treatment that is better in one primary metric and worse in another",
    of: withRows([
      { ...better, progress: reached },
      { ...worse, metric: "n" },
    ]),
    state: "losing",
    attention: true,
  },
  { what: "a loss", of: withRows([row(), { ...worse, treatment: "c" }]), state: "losing", attention: true },
  {
    what: "a loss in a secondary metric beside a primary one",
    of: withRows([row(), row({ role: "secondary", verdict: "worse" })]),
    state: "running",
    attention: false,
  },
  {
    what: "no primary metric: a win of a secondary one",
    of: withRows([row({ role: "secondary", verdict: "better" }), row({ role: "guardrail" })], {
      primaryMetrics: [],
    }),
    state: "winning",
    attention: false,
  },
  {
    what: "guardrails only",
    of: withRows([row({ role: "guardrail", progress: reached })], { primaryMetrics: [] }),
    state: "no-difference",
    attention: true,
  },
  {
    what: "nothing found at the target",
    of: withRows([row({ progress: reached }), row({ treatment: "c", progress: reached })]),
    state: "no-difference",
    attention: true,
  },
  {
    what: "nothing found at the target of one of two treatments",
    of: withRows([row({ progress: reached }), row({ treatment: "c" })]),
    state: "running",
    attention: false,
  },
  {
    what: "nothing found without a forecast",
    of: withRows([row({ progress: null })]),
    state: "running",
    attention: false,
  },
  {
    what: "nothing found at the target in an early look",
    of: facts({ lastRun: run([row({ progress: reached })], { preliminary: true }) }),
    state: "running",
    attention: false,
  },
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
      what: "analysed before",
      change: { lastRun: runBefore(2.1), lastNight: night("computed", 2.1) },
      stale: true,
    },
    {
      what: "analysed before by hand, the night collecting",
      change: { lastRun: runBefore(3), lastNight: night("collecting", 0.4) },
      stale: false,
    },
    {
      what: "analysed before, the night failing",
      change: { lastRun: runBefore(3), lastNight: night("failed", 0.4) },
      stale: true,
    },
    {
      what: "analysed before, the night at work",
      change: { lastRun: runBefore(3), lastNight: { outcome: "computed", finishedAt: null } },
      stale: true,
    },
    {
      what: "never analysed, the last night long ago",
      change: { lastNight: night("collecting", 3) },
      stale: true,
    },
  ])("$what is stale: $stale", ({ change, stale }) => {
    expect(isStale(facts(change), now)).toBe(stale);
    expect(isStale(facts({ ...change, status: "stopped" }), now)).toBe(false);
    expect(isStale(facts({ ...change, isDemo: true }), now)).toBe(false);
    if (stale) expect(needsAttention(facts(change), now)).toBe(true);
  });

  test("that is stale right after a change gets a day", () => {
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

  test("leave guardrails out, of which those that got worse are told", () => {
    const failing = row({ role: "guardrail", verdict: "worse" });
    expect(failingGuardrails([failing, row({ role: "guardrail" }), worse])).toEqual([failing]);
  });

  const at = (share: number) => ({ share, daysToGo: 1 });
  test.each<{ what: string; of: ExperimentFacts; share: number | undefined }>([
    { what: "without a run", of: facts(), share: undefined },
    { what: "of unknown rows", of: withRows([row({ progress: null })]), share: undefined },
    {
      what: "while a primary metric has no row",
      of: withRows([row()], { primaryMetrics: ["m", "late"] }),
      share: undefined,
    },
    {
      what: "of the row furthest behind",
      of: withRows([row({ progress: at(0.6) }), row({ progress: null }), row({ progress: at(0.2) })]),
      share: 0.2,
    },
    {
      what: "of the furthest winning row",
      of: withRows([
        { ...better, progress: at(0.6) },
        { ...better, progress: at(0.8) },
        row({ progress: at(0.1) }),
      ]),
      share: 0.8,
    },
  ])("tell the progress $what", ({ of, share }) => {
    expect(decisionProgress(of)?.share).toBe(share);
  });
});
