import type { RehearsalMetric } from "@assay/domain";
import { sumOf } from "@assay/stats";

/** The effects of one treatment in a rehearsal and in the experiment that followed, in the unit of the metric's forecast. */
export interface LedgerEntry {
  readonly metric: RehearsalMetric;
  readonly rehearsed: number;
  readonly found: number;
  /** 95% interval of the experiment's effect. */
  readonly foundLow: number;
  readonly foundHigh: number;
}

/** How well an org's rehearsals and experiments agree on one metric. */
export interface LedgerSummary {
  readonly entries: number;
  /** Experiments whose interval excludes 0, and how many of them have the same sign as the rehearsal. */
  readonly found: number;
  readonly agreed: number;
  /** How to predict an experiment's effect from a rehearsal's; null with too few entries. */
  readonly transfer: Transfer | null;
}

/** The line through the origin that best predicts experiments from rehearsals (least squares). */
export interface Transfer {
  readonly slope: number;
  readonly slopeError: number;
  /** Standard deviation of the experiments' effects around the line. */
  readonly spread: number;
  /** Of Student's t. */
  readonly df: number;
}

/** Minimum number of pairs to estimate how rehearsals and experiments agree. */
export const MIN_LEDGER_ENTRIES = 5;

/** Summarizes an org's ledger for one metric. Pure. */
export function summarizeLedger(ledger: readonly LedgerEntry[], metric: RehearsalMetric): LedgerSummary {
  const own = ledger.filter((entry) => entry.metric === metric);
  const clear = own.filter(({ foundLow, foundHigh }) => foundLow > 0 || foundHigh < 0);
  const agreed = clear.filter(({ rehearsed, found }) => rehearsed * found > 0);
  return { entries: own.length, found: clear.length, agreed: agreed.length, transfer: transferOf(own) };
}

function transferOf(entries: readonly LedgerEntry[]): Transfer | null {
  const squares = sumOf(entries.map(({ rehearsed }) => rehearsed * rehearsed));
  if (entries.length < MIN_LEDGER_ENTRIES || squares === 0) return null;
  const slope = sumOf(entries.map(({ rehearsed, found }) => rehearsed * found)) / squares;
  const df = entries.length - 1;
  const gaps = sumOf(entries.map(({ rehearsed, found }) => (found - slope * rehearsed) ** 2));
  const spread = Math.sqrt(gaps / df);
  return { slope, slopeError: spread / Math.sqrt(squares), spread, df };
}
