import {
  type ArmExposure,
  type Claim,
  type DecisionState,
  type DecisionStatus,
  dayOf,
  decidingRows,
  isCost,
  type MetricResult,
  type OpenMargin,
  type RowKey,
  type Tradeoff,
} from "@assay/domain";
import type { RunFrame } from "../run-frame.ts";
import { alarmsOf, type EvidentRow } from "./alarms.ts";
import { claimsOf, isGain, type Look } from "./claims.ts";
import { openMargins } from "./open-margins.ts";
import { planChangesSince, type Schedule } from "./schedule.ts";

/** The inputs of a decision. */
export interface DecideInput {
  readonly frame: RunFrame;
  readonly schedule: Schedule;
  readonly exposures: readonly ArmExposure[];
  /** All rows of the run. */
  readonly evident: readonly EvidentRow[];
  readonly expectedUsers: DecisionStatus["expectedUsers"];
}

/** The rows of a run compared with the plan, before the decision. */
export interface Claimed {
  readonly claims: readonly Claim[];
  readonly look: Look;
}

/**
 * Compares the rows with the plan's boundaries. A manual run is not a look: it keeps the claims that
 * nights met.
 */
export function claim({ frame, schedule, evident }: DecideInput): Claimed {
  const { experiment, label, until, decision } = frame;
  const { metrics, plan } = experiment.config;
  const isNight = label.kind === "nightly";
  const look: Look = {
    plan,
    isLook: isNight && until >= schedule.earliestEnd,
    isLast: isNight && until >= schedule.plannedEnd,
    isOver: decision !== null && decision.decidedOn !== null,
    day: dayOf(until - 1),
  };
  const rows = evident.map(({ row }) => row);
  const bounded = rows.filter(({ nonInferiority }) => nonInferiority !== null);
  const costs = new Set(metrics.filter(isCost).map(({ name }) => name));
  const maySave = bounded.some(({ metric }) => !costs.has(metric));
  const deciding = decidingRows(rows);
  const better = rows.filter((row) => deciding.includes(row) || (maySave && costs.has(row.metric)));
  return { claims: claimsOf({ better, bounded }, decision?.evidence ?? [], look), look };
}

/** The position of one treatment. */
interface Standing {
  readonly treatment: string;
  readonly isBetter: boolean;
  /** Cheaper and not worse, by the plan. */
  readonly isSaving: boolean;
  readonly open: readonly OpenMargin[];
  readonly losses: readonly RowKey[];
}

type Decided = Pick<DecisionStatus, "decidedState" | "decidedOn" | "treatment">;

/**
 * Decides by the plan. The decision look is the first night on which a treatment may be shipped, or all looks are used
 * up. Its evidence stays. Later nights change the state only by evidence that holds at any look.
 */
export function decide(
  input: DecideInput,
  { claims, look }: Claimed,
  tradeoffs: readonly Tradeoff[],
): DecisionStatus {
  const { frame, schedule, evident, expectedUsers } = input;
  const { plan } = frame.experiment.config;
  const before = frame.decision;
  const isOver = before !== null && before.decidedOn !== null;
  const evidence = isOver ? keepDecided(before.evidence, claims) : claims;
  const rows = evident.map(({ row }) => row);
  const margins = {
    frame,
    exposures: input.exposures,
    expectedUsers,
    guardrails: countGuardrails(claims),
    isOver,
  };
  const treatments = treatmentsOf(rows);
  const open = openMargins(evidence, { rows, treatments }, margins);
  const losses = lossesOf(rows);
  const deciding = new Set(decidingRows(rows).map(keyOf));
  const standings = treatments.map((treatment): Standing => {
    const isOwn = (one: Pick<RowKey, "treatment">) => one.treatment === treatment;
    const own = evidence.filter(isOwn);
    const met = own.filter(({ kind, metOn }) => kind === "better" && metOn !== null);
    return {
      treatment,
      isBetter: met.some((one) => deciding.has(keyOf(one))),
      isSaving: tradeoffs.some((one) => isOwn(one) && isMetBy(one, own)),
      open: open.filter(isOwn),
      losses: losses.filter(isOwn),
    };
  });
  const isAwaited = awaitsPrimary(frame, rows);
  const decided = isOver
    ? laterDecision(before, standings)
    : firstDecision(standings, { look, evidence, isAwaited });
  const guardrails = evident.filter(({ row }) => row.role === "guardrail" && !deciding.has(keyOf(row)));
  const failing = alarmsOf(guardrails, plan);
  const losing = alarmsOf(
    evident.filter(({ row }) => deciding.has(keyOf(row))),
    plan,
  );
  const shown = shownState(decided.decidedState ?? openState(standings, rows, plan.alpha), {
    failing,
    losing,
  });
  const leading = leadingClaim(evidence, deciding);
  return {
    state: shown,
    ...decided,
    treatment: decided.treatment ?? leading?.treatment ?? null,
    looks: plan.looks,
    look: Math.max(0, ...evidence.map(({ fractions }) => fractions.length)),
    information: informationOf(evidence, deciding),
    boundary: leading?.boundary ?? null,
    evidence,
    open,
    alarms: [...failing, ...losing],
    losses,
    startedOn: schedule.startedOn,
    earliestEnd: schedule.earliestEnd,
    plannedEnd: schedule.plannedEnd,
    expectedUsers,
    planChanges: planChangesSince(schedule.startedOn, frame),
  };
}

/** Returns the decision, if this is the decision look. */
function firstDecision(
  standings: readonly Standing[],
  { look, evidence, isAwaited }: { look: Look; evidence: readonly Claim[]; isAwaited: boolean },
): Decided {
  const none = { decidedState: null, decidedOn: null, treatment: null };
  if (!look.isLook || isAwaited || standings.length === 0) return none;
  const on = (decidedState: DecisionState, treatment: string | null): Decided => ({
    ...{ decidedState, treatment, decidedOn: look.day },
  });
  const ready = standings.find(mayShip);
  if (ready !== undefined) return on("ready-to-decide", ready.treatment);
  const better = standings.find(({ isBetter }) => isBetter);
  const isComplete =
    look.plan.looks === "group_sequential" && better === undefined && evidence.every(isFinal);
  if (!look.isLast && !isComplete) return none;
  if (better !== undefined) return on(betterState(better), better.treatment);
  // A margin without looks left stays open until evidence that holds at any look settles it.
  return on(standings.every(({ open }) => open.length === 0) ? "no-difference" : "running", null);
}

/**
 * The state after the decision look: its result, unless evidence that holds at any look has since supplied what was
 * missing.
 */
function laterDecision(before: DecisionStatus, standings: readonly Standing[]): Decided {
  const { decidedState, decidedOn, treatment } = before;
  const ready = standings.find(mayShip);
  const mayChange = decidedState !== "ready-to-decide" && decidedState !== "mixed";
  if (!mayChange || ready === undefined) return { decidedState, decidedOn, treatment };
  return { decidedState: "ready-to-decide", decidedOn, treatment: ready.treatment };
}

/** The rule for shipping: better in a primary metric, or cheaper; every margin met; nothing significantly worse. */
function mayShip({ isBetter, isSaving, open, losses }: Standing): boolean {
  return (isBetter || isSaving) && open.length === 0 && losses.length === 0;
}

function betterState({ losses }: Pick<Standing, "losses">): DecisionState {
  return losses.length > 0 ? "mixed" : "better-guardrail-open";
}

/** The state before the decision look. */
function openState(
  standings: readonly Standing[],
  rows: readonly MetricResult[],
  alpha: number,
): DecisionState {
  const better = standings.find(({ isBetter }) => isBetter);
  // A treatment that may be shipped waits while a primary metric has no row.
  if (better !== undefined) return mayShip(better) ? "winning" : betterState(better);
  const isAhead = (row: MetricResult) => row.pValueSeqFdr !== null && row.pValueSeqFdr < alpha && isGain(row);
  const isHarmed = ({ treatment }: MetricResult) =>
    standings.some((one) => one.treatment === treatment && one.losses.length > 0);
  return decidingRows(rows).some((row) => isAhead(row) && !isHarmed(row)) ? "winning" : "running";
}

/** Harm takes precedence over a win, but a losing treatment does not stop another one that wins. */
function shownState(
  state: DecisionState,
  { failing, losing }: { readonly failing: readonly RowKey[]; readonly losing: readonly RowKey[] },
): DecisionState {
  if (failing.length > 0) return "guardrail-failing";
  const hasWinner = state === "winning" || state === "ready-to-decide" || state === "better-guardrail-open";
  return losing.length > 0 && !hasWinner ? "losing" : state;
}

/**
 * Keeps the numbers of the decision look. Claims that were not met then may still be met later. So may margins whose row
 * appeared only later.
 */
function keepDecided(decided: readonly Claim[], now: readonly Claim[]): readonly Claim[] {
  const isSame = (one: Claim) => (other: Claim) => other.kind === one.kind && keyOf(other) === keyOf(one);
  const kept = decided.map((one) => {
    const current = now.find(isSame(one));
    return one.metOn === null && current !== undefined ? { ...one, metOn: current.metOn } : one;
  });
  const late = now.filter((one) => one.kind === "not-worse" && !decided.some(isSame(one)));
  return [...kept, ...late];
}

/**
 * Returns whether the cost metric of a trade-off is better and every margin is met, by the plan.
 */
function isMetBy({ saving }: Tradeoff, own: readonly Claim[]): boolean {
  const isMet = ({ metOn }: Claim) => metOn !== null;
  return (
    own.some((one) => one.kind === "better" && one.metric === saving.metric && isMet(one)) &&
    own.filter(({ kind }) => kind === "not-worse").every(isMet)
  );
}

/**
 * Lists the rows that are significantly worse, except those that are certainly worse by less than their margin.
 */
function lossesOf(rows: readonly MetricResult[]): readonly RowKey[] {
  return rows
    .filter(({ verdict, nonInferiority }) => verdict === "worse" && nonInferiority?.isNotWorse !== true)
    .map(({ metric, treatment }) => ({ metric, treatment }));
}

function isFinal({ metOn, fractions }: Claim): boolean {
  return metOn !== null || fractions.at(-1) === 1;
}

function awaitsPrimary({ experiment }: RunFrame, rows: readonly MetricResult[]): boolean {
  const known = new Set(rows.map(({ metric }) => metric));
  return experiment.config.metrics.some(({ name, role }) => role === "primary" && !known.has(name));
}

/** The deciding claim with the largest deviate. A claim of `better` always has one. */
function leadingClaim(evidence: readonly Claim[], deciding: ReadonlySet<string>): Claim | null {
  const own = evidence.filter((one) => one.kind === "better" && deciding.has(keyOf(one)));
  return own.toSorted((one, other) => other.z! - one.z!)[0] ?? null;
}

function informationOf(evidence: readonly Claim[], deciding: ReadonlySet<string>): number {
  const own = evidence.filter((one) => one.kind === "better" && deciding.has(keyOf(one)));
  return own.length === 0 ? 0 : Math.min(...own.map(({ fractions }) => fractions.at(-1) ?? 0));
}

function countGuardrails(claims: readonly Claim[]): number {
  return Math.max(1, new Set(claims.flatMap((one) => (one.kind === "not-worse" ? one.metric : []))).size);
}

function treatmentsOf(rows: readonly MetricResult[]): readonly string[] {
  return [...new Set(rows.map(({ treatment }) => treatment))];
}

function keyOf({ metric, treatment }: RowKey): string {
  return `${metric}::${treatment}`;
}
