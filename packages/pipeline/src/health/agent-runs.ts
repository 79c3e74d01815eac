import { type AgentRunOutcome, type HealthCheck, needsRunEnds } from "@assay/domain";
import { sumOf } from "@assay/stats";
import { armShares, type HealthFacts } from "./facts.ts";
import { alarmingGap } from "./gap.ts";
import { byArmText, counted, gapText, partText } from "./share-text.ts";

/** If this share of runs is partly in another variant or before the exposure, ids or clocks are probably wrong. */
const SET_APART_SHARE = 0.01;
/** If this share of runs has no end, the application probably forgets to report ends. */
const IDLE_SHARE = 0.05;

type RunFacts = Pick<HealthFacts, "experiment" | "agentRuns">;

/** Checks agents' runs if a metric reads them: runs that no metric includes, and runs without a reported end. */
export function agentRunChecks(facts: RunFacts): readonly HealthCheck[] {
  if (facts.agentRuns === null) return [];
  return [checkRuns(facts, LEFT_OUT_RULE), checkRuns(facts, IDLE_RULE)];
}

const LEFT_OUT: Readonly<Partial<Record<AgentRunOutcome, string>>> = {
  open: "have not ended",
  mixed: "name another variant than their unit's",
  early: "began before their unit's first exposure",
};
const LEFT_OUT_OUTCOMES = Object.keys(LEFT_OUT) as AgentRunOutcome[];
const OVER = ["done", "failed", "idle"] as const;

function totalOf(runs: Readonly<Record<AgentRunOutcome, number>>, outcomes: readonly AgentRunOutcome[]) {
  return sumOf(outcomes.map((outcome) => runs[outcome]));
}

/** Counts outcomes of a base per arm. */
function shares({ experiment, agentRuns }: RunFacts, { count, of }: Pick<RunRule, "count" | "of">) {
  const arms = armShares(
    { experiment },
    agentRuns!.map((runs) => ({ arm: runs.arm, count: totalOf(runs, count), of: totalOf(runs, of) })),
  );
  const all = Object.values(arms);
  const gap = alarmingGap(experiment.config.control, arms, (arm) => arms[arm]!.of);
  return { arms, total: sumOf(all.map((arm) => arm.count)), of: sumOf(all.map((arm) => arm.of)), gap };
}

/** A check of a share of runs: what it counts, out of what, and how it describes the result. */
interface RunRule {
  readonly code: "runs-left-out" | "runs-without-end";
  readonly threshold: number;
  readonly count: readonly AgentRunOutcome[];
  readonly of: readonly AgentRunOutcome[];
  readonly nothing: string;
  readonly ok: (of: number) => string;
  readonly verdict: (
    found: ReturnType<typeof shares>,
    facts: RunFacts,
  ) => Pick<HealthCheck, "severity" | "detail" | "action">;
}

function checkRuns(facts: RunFacts, rule: RunRule): HealthCheck {
  const found = shares(facts, rule);
  const { arms, total, of } = found;
  const { code, threshold } = rule;
  const base = { code, measure: "share", threshold, since: null, arms } as const;
  if (of === 0) return { ...base, severity: "no-data", detail: rule.nothing, action: null, value: null };
  const verdict =
    total === 0
      ? ({ severity: "ok", detail: rule.ok(of), action: null } as const)
      : rule.verdict(found, facts);
  return { ...base, ...verdict, value: total / of };
}

const LEFT_OUT_RULE: RunRule = {
  code: "runs-left-out",
  threshold: SET_APART_SHARE,
  count: LEFT_OUT_OUTCOMES,
  of: [...OVER, ...LEFT_OUT_OUTCOMES],
  nothing: "No agent's run of an exposed unit has begun yet.",
  ok: (of) => `All ${counted(of)} runs have ended, and all count.`,
  verdict: ({ arms, total, of, gap }, { agentRuns }) => {
    const reasons = LEFT_OUT_OUTCOMES.flatMap((outcome) => {
      const runs = sumOf(agentRuns!.map((arm) => arm[outcome]));
      return runs === 0 ? [] : [`${counted(runs)} ${LEFT_OUT[outcome]}`];
    });
    const setApart = sumOf(agentRuns!.map(({ mixed, early }) => mixed + early));
    const isMany = setApart / of >= SET_APART_SHARE;
    return {
      severity: isMany || gap !== null ? "warning" : "info",
      detail: `${partText(total, of, "runs")} are in no metric${byArmText(arms)}${gapText(gap)}: ${reasons.join(", ")}.`,
      action: isMany ? SET_APART_ACTION : gap === null ? null : OPEN_ACTION,
    };
  },
};

const IDLE_RULE: RunRule = {
  code: "runs-without-end",
  threshold: IDLE_SHARE,
  count: ["idle"],
  of: OVER,
  nothing: "No agent's run has ended yet.",
  ok: (of) => `All ${counted(of)} runs that are over have a run_end.`,
  verdict: ({ arms, total, of, gap }, { experiment }) => {
    const needing = experiment.config.metrics.filter(needsRunEnds).map(({ name }) => name);
    if (total === of)
      return {
        severity: needing.length === 0 ? "info" : "warning",
        detail: `Nobody sends run_end: ${counted(of)} runs ended by being idle for 30 minutes.${needing.length === 0 ? "" : ` ${needing.join(", ")} cannot show whether tasks were completed.`}`,
        action: needing.length === 0 ? null : END_ACTION,
      };
    return {
      severity: total / of >= IDLE_SHARE || gap !== null ? "warning" : "info",
      detail: `${partText(total, of, "runs that are over")} have no run_end${byArmText(arms)}${gapText(gap)}: they were idle for 30 minutes and count as not completed.`,
      action: END_ACTION,
    };
  },
};

const SET_APART_ACTION =
  "Send the exposure before the run's first call, give each run an id of its own, and compare the clocks of the senders.";
const OPEN_ACTION =
  "Runs that have not ended are missing from one arm more than from the other, and they are longer than those that have: wait until they end.";

const END_ACTION =
  "Send a run_end for every run, also for one that fails: completed says whether its task was done.";
