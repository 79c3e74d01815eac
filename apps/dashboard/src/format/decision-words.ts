import type { MetricDefinition, MetricResult, Wire } from "../api/types.ts";
import { changeClause, effectInWords } from "./effect.ts";
import { atMost, listed } from "./lists.ts";
import { counted, percent } from "./numbers.ts";
import { day } from "./times.ts";

/** What the decision plan makes of a run. */
export type PlanStatus = Wire<"DecisionSummary">;
/** The same with the evidence behind it. */
export type DecisionStatus = Wire<"DecisionStatus">;
export type Claim = Wire<"Claim">;
export type OpenMargin = Wire<"OpenMargin">;

interface Rows {
  readonly metrics: readonly MetricDefinition[];
  readonly rows: readonly MetricResult[];
}

/** Formats the last night before an instant at the end of a day: the planned end, as the last day with data. */
export function nightBefore(instant: string): string {
  return day(new Date(Date.parse(instant) - 1).toISOString().slice(0, 10));
}

/** Describes the state of a decision by its plan, without effects. `daysToGo`: days to the planned end. */
export function planSentence(plan: PlanStatus, daysToGo: number | null = null): string {
  switch (plan.state) {
    case "running":
      return plan.decided_on === null ? `Running: ${toGo(plan, daysToGo)}` : endedOpen(plan, plan.decided_on);
    case "winning":
      return `Ahead, but not decided yet: ${toGo(plan, daysToGo)}`;
    case "better-guardrail-open":
      return guardrailOpen(plan, daysToGo);
    case "mixed":
      return mixed(plan, daysToGo);
    case "ready-to-decide":
      return ready(plan);
    case "no-difference":
      return `${decided(plan)}: nothing was found to be better, and no margin is open.`;
    case "losing":
      return `${alarmed(plan)} by evidence that holds at any look. Consider stopping.${beforeAlarm(plan)}`;
    case "guardrail-failing":
      return `The guardrail is worse by evidence that holds at any look. Check it first.${beforeAlarm(plan)}`;
  }
}

/** What is left until the plan decides. */
function toGo(plan: PlanStatus, daysToGo: number | null): string {
  const end = nightBefore(plan.planned_end);
  if (daysToGo !== null && daysToGo <= 0)
    return `the planned end, ${end}, is over. The next nightly run with a result for every primary metric decides.`;
  if (plan.looks === "fixed") return `one look decides, at the planned end, ${end}.`;
  if (plan.information === 0)
    return `no look decides before ${nightBefore(plan.earliest_end)}; planned end ${end}.`;
  return `${percent(plan.information, 2)} of the planned information, planned end ${end}.`;
}

function decided({ decided_on, look }: PlanStatus): string {
  return `Decided on ${day(decided_on ?? "")} (look ${look})`;
}

function ready(plan: PlanStatus): string {
  const isHarmed = plan.losses.some(({ treatment }) => treatment === plan.treatment);
  const since = isHarmed ? " Since then it is significantly worse in another way: weigh that first." : "";
  return `${decided(plan)}: ${plan.treatment} may be shipped.${since}`;
}

function endedOpen({ open }: PlanStatus, on: string): string {
  const then = `The planned looks ended on ${day(on)}: nothing was found to be better`;
  return open.length === 0
    ? `${then}. A margin that was not settled then is settled now.`
    : `${then}, and a margin is not settled: ${openWords(open)}.`;
}

function guardrailOpen(plan: PlanStatus, daysToGo: number | null): string {
  const { decided_on } = plan;
  const open = openOf(plan);
  if (open.length === 0)
    return "Better, and every margin is settled now, but another metric is significantly worse.";
  const next =
    decided_on === null
      ? `Running: ${toGo(plan, daysToGo)}`
      : `The planned looks ended on ${day(decided_on)}: only evidence that holds at any look settles it now.`;
  return `Better, guardrail not settled: ${openWords(open)}. ${next}`;
}

function mixed(plan: PlanStatus, daysToGo: number | null): string {
  if (plan.decided_on === null)
    return `Mixed so far: better in one metric, significantly worse in another. Running: ${toGo(plan, daysToGo)}`;
  const now =
    plan.losses.length === 0 ? "The newest night does not show the loss as significant." : "Weigh the two.";
  return `${decided(plan)}: better in one metric, significantly worse in another. ${now}`;
}

function alarmed({ alarms }: PlanStatus): string {
  const treatments = [...new Set(alarms.map(({ treatment }) => treatment))];
  return `${treatments.join(" and ")} ${treatments.length > 1 ? "are" : "is"} worse`;
}

/** What the decision look gave before there was an alarm. */
function beforeAlarm({ decided_on, decided_state, treatment }: PlanStatus): string {
  if (decided_on === null || decided_state === null) return "";
  return ` The decision look of ${day(decided_on)} gave: ${decidedWords(decided_state, treatment)}.`;
}

/** Describes what a decision look gave. */
export function decidedWords(
  state: NonNullable<PlanStatus["decided_state"]>,
  treatment: string | null,
): string {
  switch (state) {
    case "ready-to-decide":
      return `${treatment} may be shipped`;
    case "better-guardrail-open":
      return `${treatment} is better, but a margin is not settled`;
    case "mixed":
      return `${treatment} is better in one metric and significantly worse in another`;
    case "no-difference":
      return "nothing is better, and no margin is open";
    default:
      return "nothing is better, and a margin is not settled";
  }
}

/** Picks the open margins of the treatment that the state names. If it has none, picks all. */
export function openOf({ open, treatment }: Pick<PlanStatus, "open" | "treatment">): readonly OpenMargin[] {
  const own = open.filter((one) => one.treatment === treatment);
  return own.length > 0 ? own : open;
}

/** Picks the open margins that more data may settle. A margin with an alarm is broken and stays so. */
export function unsettledOf({ open, alarms }: Pick<PlanStatus, "open" | "alarms">): readonly OpenMargin[] {
  return open.filter((margin) => !isAmong(alarms, margin));
}

/** Describes what would settle open margins: "quality with concise needs about 6 more days or 120 more labels". */
export function openWords(open: readonly OpenMargin[]): string {
  const needs = open.map(
    ({ metric, treatment, days, labels }) => `${metric} with ${treatment} ${needWords(days, labels)}`,
  );
  return atMost(needs, "more margins are not settled").join(", and ");
}

function needWords(days: number | null, labels: number | null): string {
  const needs = [
    ...(days === null || days === 0 ? [] : [counted(days, "more day")]),
    ...(labels === null || labels === 0 ? [] : [counted(labels, "more label")]),
  ];
  if (needs.length > 0) return `needs about ${needs.join(" or ")}`;
  return days === 0 || labels === 0
    ? "has enough data to be settled at a look, unless the difference is near the margin"
    : "needs more data: how much is unknown, or it would take more than ten years";
}

/** Describes losses of any role briefly, by treatment: "concise is significantly worse in cost (+52%) and latency (+3%, a guardrail)". */
export function lossesInShort(losses: PlanStatus["losses"], { rows, metrics }: Rows): readonly string[] {
  const clauses = [...Map.groupBy(losses, ({ treatment }) => treatment)].map(([treatment, own]) => {
    const parts = own.map((loss) => {
      const row = rows.find((one) => isAmong([loss], one));
      if (row === undefined) return loss.metric;
      const guardrail = row.role === "guardrail" ? ", a guardrail" : "";
      return `${loss.metric} (${effectInWords(row, metrics)}${guardrail})`;
    });
    return `${treatment} is significantly worse in ${listed(atMost(parts, "more metrics"))}`;
  });
  return atMost(clauses, "more variants are significantly worse in some metric");
}

/** Describes the losses of any role that `told` does not list, each with its size if the run has its row. */
export function lossClauses(
  losses: PlanStatus["losses"],
  { rows, metrics }: Rows,
  told: PlanStatus["losses"] = [],
): readonly string[] {
  return losses
    .filter((loss) => !isAmong(told, loss))
    .map((loss) => {
      const row = rows.find((one) => isAmong([loss], one));
      return row === undefined
        ? `${loss.metric} is significantly worse with ${loss.treatment}`
        : `${changeClause(row, metrics)}${row.role === "guardrail" ? ", a guardrail" : ""}, which is significantly worse`;
    });
}

/** Returns whether a row is one of `keys`. */
export function isAmong(
  keys: PlanStatus["losses"],
  { metric, treatment }: { readonly metric: string; readonly treatment: string },
): boolean {
  return keys.some((key) => key.metric === metric && key.treatment === treatment);
}

/** Lists further facts about a decision: targets that became unlikely, and changes of the plan after users were exposed. */
export function planRemarks({ evidence, decided_on, plan_changes }: DecisionStatus): readonly string[] {
  const unlikely = evidence.filter(({ is_unlikely }) => is_unlikely && decided_on === null);
  return [
    ...unlikely.map(
      ({ metric, treatment, conditional_power: power }) =>
        `${metric} with ${treatment}: unlikely to reach the target${power === null ? "" : ` (conditional power ${percent(power, 2)})`}.`,
    ),
    ...plan_changes.map(({ reason }) => `The plan was changed after the first exposure: ${reason}`),
  ];
}

/** What each way of looking means, in a line. */
export const LOOKS_WORDS: Readonly<
  Record<PlanStatus["looks"], { readonly word: string; readonly meaning: string }>
> = {
  group_sequential: {
    word: "Every night, group sequential",
    meaning: "Every night may decide. The boundaries spread the allowed error over the nights.",
  },
  fixed: { word: "Once, at the planned end", meaning: "Only the planned end decides." },
  always_valid: {
    word: "Every night, always valid",
    meaning: "Every night may decide, with intervals that hold at any look. This needs the most users.",
  },
};

/** Describes what a claim's evidence has reached: "z 2.10 of 2.94 needed". */
export function evidenceWords({ z, boundary }: Pick<Claim, "z" | "boundary">): string {
  if (z === null) return "no evidence: the row has no interval";
  const reached = `z ${signedZ(z)}`;
  return boundary === null ? reached : `${reached} of ${boundary.toFixed(2)} needed`;
}

const signedZ = (z: number) => z.toFixed(2).replace("-", "\u2212");

/** Describes how a claim ended or where it stands: "met on 18 Jan 2026", "not met". */
export function claimWords(
  { met_on, is_unlikely, conditional_power }: Pick<Claim, "met_on" | "is_unlikely" | "conditional_power">,
  isDecided: boolean,
): string {
  if (met_on !== null) return `met on ${day(met_on)}`;
  if (!is_unlikely || isDecided) return "not met";
  return `not met, unlikely to reach the target${conditional_power === null ? "" : ` (conditional power ${percent(conditional_power, 2)})`}`;
}

/** Describes where a plan's horizon comes from. Null if it is not set yet. */
export function basisWords({
  horizon_weeks: weeks,
  basis,
  expected_users: expected = null,
}: Pick<Wire<"DecisionPlan">, "horizon_weeks" | "basis" | "expected_users">): string | null {
  if (weeks == null) return null;
  const runs = `Runs ${counted(weeks, "week")}`;
  if (basis === "default")
    return expected === null
      ? `${runs} because there was no traffic to plan from.`
      : `${runs} because too little was known about its metrics to plan from.`;
  if (basis === "traffic") return `${runs}: planned from the traffic, the target effects and the margins.`;
  return `${runs}, as requested.`;
}
