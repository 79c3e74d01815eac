import type { Baseline, Guard, GuardSignal } from "@assay/domain";
import { normalQuantile, oneSidedEvidence } from "@assay/stats";
import { HISTORY_DAYS, historyBaseline } from "../plan/plan-baseline.ts";
import { evidenceThreshold, MIN_GUARD_EVENTS, TUNED_TO } from "./look.ts";
import { SIGNAL_NAMES } from "./signals.ts";

/** The smallest harm that a guard would notice within an hour with probability `POWER`. */
export interface NoticeableHarm {
  readonly signal: string;
  /** The org's value in the last days. */
  readonly value: number;
  /** A rise of the value, absolute or relative; null: an hour has too few events. */
  readonly harm: number | null;
  readonly isRelative: boolean;
}

/** The signals whose history is read, with the field of calls that each averages. */
export const NOTICED_FIELDS = { errorRate: "error", latency: "latency_ms", costPerCall: "cost_usd" } as const;
type Noticed = keyof typeof NOTICED_FIELDS;

const HOURS = 24 * HISTORY_DAYS;
const POWER = 0.8;
const HALVINGS = 40;

interface Expected {
  readonly guard: Guard;
  /** The org's history of the fields, as metrics of kind ratio with the signals' names. */
  readonly history: Pick<Baseline, "metrics">;
  /** The share of all users in one treatment, and the number of treatments. */
  readonly share: number;
  readonly treatments: number;
  /** Number of watched signals, including the split. */
  readonly signals: number;
}

/**
 * Estimates the harm that a guard would notice within an hour, from an arm's hourly calls and their variance in the org's history. Assumes
 * that the treatment is as large as control.
 */
export function noticeableHarms({
  guard,
  history,
  share,
  treatments,
  signals,
}: Expected): readonly NoticeableHarm[] {
  return (Object.keys(NOTICED_FIELDS) as Noticed[]).flatMap((signal): readonly NoticeableHarm[] => {
    const acceptable = guard[signal];
    const sums = history.metrics.find(({ metric }) => metric === signal);
    const baseline = sums && historyBaseline("ratio", sums);
    if (acceptable === null || !sums || !baseline) return [];
    const events = (sums.events / HOURS) * share;
    const isRelative = signal !== "errorRate";
    const common = { signal: SIGNAL_NAMES[signal as GuardSignal], value: baseline.value, isRelative };
    if (events < MIN_GUARD_EVENTS || (isRelative && baseline.value === 0)) return [{ ...common, harm: null }];
    const standardError = baseline.sd * Math.sqrt((2 * sums.events) / sums.users / events);
    const needed = neededZ(2 * events, evidenceThreshold({ treatments, signals, starts: 1 }));
    const excess = (needed + normalQuantile(POWER)) * standardError;
    return [{ ...common, harm: acceptable + (isRelative ? excess / baseline.value : excess) }];
  });
}

/** The smallest excess, in standard errors, at which this many events are enough evidence to hold an experiment. */
function neededZ(events: number, threshold: number): number {
  let [low, high] = [0, 100];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    const found = { effect: middle, standardError: 1, n: events, expectedUsers: TUNED_TO };
    if (oneSidedEvidence(found) < threshold) low = middle;
    else high = middle;
  }
  return high;
}
