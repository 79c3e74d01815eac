import type { Wire } from "../../../../api/types.ts";
import { sum } from "../../../../format/numbers.ts";

type History = Wire<"ResultsHistory">;

/** A night's effect, relative to control if all nights have a relative effect, otherwise in the metric's unit. */
export interface EffectPoint {
  /** UTC day. */
  readonly day: string;
  readonly at: Date;
  readonly effect: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly seqLow: number | null;
  readonly seqHigh: number | null;
  /** Version of the experiment. A segment holds the nights of one version of experiment and metric. */
  readonly version: number;
  readonly segment: string;
  readonly users: number;
}

export interface EffectSeries {
  readonly points: readonly EffectPoint[];
  readonly isRelative: boolean;
  /** Nights with withheld results, which leave gaps. */
  readonly withheld: readonly string[];
  /** The last point of a segment and the first of the next, which may not be comparable. */
  readonly joints: readonly (readonly [EffectPoint, EffectPoint])[];
}

/** Extracts a comparison's nights from an experiment's history. */
export function effectSeries({ runs }: History, key: string): EffectSeries {
  const rows = runs.flatMap((run) => {
    const row = run.results[key];
    return row === undefined ? [] : [{ run, row }];
  });
  const isRelative = rows.every(({ row }) => row.relative_effect !== null);
  const points = rows.map(({ run, row }) => {
    const base = isRelative ? row.control_value : 1;
    const over = (value: number | null) => (value === null ? null : value / base);
    return {
      day: run.computed_for,
      at: new Date(`${run.computed_for}T00:00:00Z`),
      effect: (isRelative ? row.relative_effect : null) ?? row.effect,
      low: isRelative ? row.relative_ci_low : row.ci_low,
      high: isRelative ? row.relative_ci_high : row.ci_high,
      seqLow: over(row.ci_seq_low),
      seqHigh: over(row.ci_seq_high),
      version: run.version,
      segment: `${run.version}/${row.metric_version}`,
      users: sum(Object.values(row.n_per_arm)),
    };
  });
  return {
    points,
    isRelative,
    withheld: runs.filter(({ withheld_by }) => withheld_by !== null).map((run) => run.computed_for),
    joints: points.flatMap((point, index) => {
      const next = points[index + 1];
      return next === undefined || next.segment === point.segment ? [] : [[point, next] as const];
    }),
  };
}
