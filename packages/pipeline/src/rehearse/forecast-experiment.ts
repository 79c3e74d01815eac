import type { RehearsalMetric, RehearsalRow } from "@assay/domain";
import { ALPHA, normalQuantile, requiredUsers, studentTQuantile } from "@assay/stats";
import { MIN_USERS_PER_ARM } from "../compare/eligibility.ts";
import type { PlanBaseline } from "../plan/plan-baseline.ts";
import { roundUp } from "../plan/plan-experiment.ts";
import { type LedgerEntry, type LedgerSummary, summarizeLedger } from "./ledger.ts";

export interface ForecastInput {
  /** The row of a finished rehearsal. */
  readonly row: Pick<RehearsalRow, "metric" | "controlValue" | "effect" | "ciLow" | "ciHigh">;
  /** The org's ledger. */
  readonly ledger: readonly LedgerEntry[];
  /** The experiment's metric; null: its users and days are not planned. */
  readonly baseline: Pick<PlanBaseline, "value" | "sd"> | null;
  /** The two arms' shares of the users. */
  readonly shares: { readonly control: number; readonly treatment: number };
  /** New users per day, over all arms; null when unknown. */
  readonly usersPerDay: number | null;
}

/** What an experiment would find, given a rehearsal's result. */
export interface ExperimentForecast {
  /** `relative`: a share of control's value. `absolute`: in the metric's unit; for `preference`, in the unit of the ledger's findings. */
  readonly unit: "relative" | "absolute";
  readonly effect: number;
  /** 95% interval of the experiment's effect, from the ledger or, without one, by assumption. */
  readonly low: number;
  readonly high: number;
  readonly ledger: LedgerSummary;
  /** The users needed to find the forecast effect; null without a baseline, or without an effect. */
  readonly needed: NeededUsers | null;
  /** The users needed to find the end of the interval nearer to 0. Null also if the interval contains 0: then no number is enough. */
  readonly neededAtWorst: NeededUsers | null;
  /** What limits the forecast. */
  readonly notes: readonly string[];
}

/** Users over all arms, and the days until they have come; null if users per day are unknown. */
export interface NeededUsers {
  readonly users: number;
  readonly days: number | null;
}

/** Metrics whose value per call differs between a rehearsal and online traffic, so that only the relative effect carries over. */
const RELATIVE: ReadonlySet<RehearsalMetric> = new Set(["latency_ms", "cost_usd", "output_tokens", "length"]);
/** Without a ledger, the spread of experiments' effects is assumed to be this share of the effect: from about 0 to twice the effect. */
const UNKNOWN_SPREAD = 0.5;

/**
 * Forecasts an experiment's effect from a rehearsal's row, and the users and days that the experiment needs. With enough pairs in the
 * ledger, the line through them predicts the effect; with fewer, the rehearsal's effect is used with a wide interval. Null if the row has
 * no interval, or if its unit cannot be converted: a preference without a ledger, or a relative effect if control's value is 0. Pure.
 */
export function forecastExperiment(input: ForecastInput): ExperimentForecast | null {
  const { row, ledger } = input;
  const rehearsed = rehearsedEffect(row);
  const summary = summarizeLedger(ledger, row.metric);
  if (rehearsed === null || (row.metric === "preference" && summary.transfer === null)) return null;
  const [effect, half] = predict(rehearsed, summary);
  const [low, high] = [effect - half, effect + half];
  const worst = low > 0 ? low : high < 0 ? high : 0;
  return {
    ...{ unit: forecastUnit(row.metric), effect, low, high, ledger: summary },
    needed: neededFor(effect, input),
    neededAtWorst: neededFor(worst, input),
    notes: notesOf(summary, worst === 0),
  };
}

interface Rehearsed {
  readonly effect: number;
  readonly standardError: number;
}

/** The unit in which a metric carries over to an experiment. */
export function forecastUnit(metric: RehearsalMetric): ExperimentForecast["unit"] {
  return RELATIVE.has(metric) ? "relative" : "absolute";
}

/** Converts a row to the unit of its forecast; null without an interval, or for a relative effect if control's value is 0. */
export function rehearsedEffect({
  metric,
  controlValue,
  effect,
  ciLow,
  ciHigh,
}: ForecastInput["row"]): Rehearsed | null {
  if (effect === null || ciLow === null || ciHigh === null) return null;
  const unit = RELATIVE.has(metric) ? controlValue! : 1;
  const standardError = (ciHigh - ciLow) / 2 / normalQuantile(1 - ALPHA / 2);
  return unit > 0 ? { effect: effect / unit, standardError: standardError / unit } : null;
}

/** Predicts an experiment's effect. Returns it with half the width of its interval. */
function predict({ effect, standardError }: Rehearsed, { transfer }: LedgerSummary): [number, number] {
  if (transfer === null) {
    // The experiment's own standard error is not known; it is assumed to be as large as the rehearsal's.
    const error = Math.hypot(standardError, standardError, UNKNOWN_SPREAD * effect);
    return [effect, normalQuantile(1 - ALPHA / 2) * error];
  }
  const { slope, slopeError, spread, df } = transfer;
  const error = Math.hypot(slope * standardError, effect * slopeError, spread);
  return [slope * effect, studentTQuantile(1 - ALPHA / 2, df) * error];
}

function neededFor(
  effect: number,
  { row, baseline, shares, usersPerDay }: ForecastInput,
): NeededUsers | null {
  if (baseline === null) return null;
  const unit = RELATIVE.has(row.metric) ? Math.abs(baseline.value) : 1;
  const variance = baseline.sd ** 2;
  const perArm = requiredUsers({
    effect: effect * unit,
    controlVariance: variance,
    treatmentVariance: variance,
    ratio: shares.treatment / shares.control,
  });
  if (perArm === null) return null;
  const control = Math.max(perArm.control, MIN_USERS_PER_ARM) / shares.control;
  const treatment = Math.max(perArm.treatment, MIN_USERS_PER_ARM) / shares.treatment;
  const users = roundUp(Math.max(control, treatment));
  return { users, days: usersPerDay === null ? null : roundUp(users / usersPerDay) };
}

function notesOf({ entries, transfer }: LedgerSummary, holdsZero: boolean): readonly string[] {
  const unknown =
    transfer === null
      ? `Too little is known about how rehearsals and experiments agree here (entries in the ledger: ${entries}). The interval assumes that an experiment finds between no effect and twice the rehearsal's effect.`
      : null;
  const none = holdsZero
    ? "The interval includes 0: an experiment may find nothing, however many users it has."
    : null;
  return [unknown, none].filter((note) => note !== null);
}
