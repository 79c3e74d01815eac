import type { ArmMetric, MetricDefinition, UserBins, UserValues } from "@assay/domain";
import { type PeriodStratum, pairStrata } from "../compare/arm-data.ts";
import { metricQueries } from "../compare/metric-queries.ts";
import { expectedUsers } from "../decide/expected-users.ts";
import { scheduleOf } from "../decide/schedule.ts";
import { inShare } from "../health/srm-gate.ts";
import type { JudgedUser } from "../judge/judged-users.ts";
import { weightOf } from "../judge/quality-rows.ts";
import type { RunFrame } from "../run-frame.ts";
import { eventData, judgedData, type MetricData } from "./metric-data.ts";
import { metricRows } from "./metric-rows.ts";
import {
  armsQuery,
  loadFirstExposures,
  type MetricEvents,
  withoutExcludedJudgements,
} from "./read-run-events.ts";
import type { UncorrectedRow } from "./uncorrected-row.ts";

/** The user, arm and period of a line. Period and stratum are indexes. */
interface Line {
  readonly userId: string;
  readonly arm: string;
  readonly period: number;
  readonly stratum: number;
}

/** A user's values after cap and window, as in `UserValues`. */
export interface ValueLine extends Line {
  readonly y: number;
  readonly d: number;
  readonly preY: number;
  readonly preD: number;
}

/** A user's calls by fine bin. */
export interface BinLine extends Line {
  readonly calls: readonly (readonly [bin: number, count: number])[];
}

/** A judged call. */
export interface CallLine extends Line {
  /** Number of calls that it represents: 1 / probability of the draw. */
  readonly weight: number;
  readonly score: number;
  /** The person's score; null when nobody labeled it. */
  readonly label: number | null;
}

export type EvidenceLines =
  | { readonly type: "values"; readonly lines: readonly ValueLine[] }
  | { readonly type: "bins"; readonly lines: readonly BinLine[] }
  | { readonly type: "calls"; readonly lines: readonly CallLine[] };

/** Sums over all users of an arm in a stratum, as in `ArmMetric`. */
export interface EvidenceSums
  extends Pick<ArmMetric, "arm" | "users" | "meanY" | "m2Y" | "meanD" | "m2D" | "cYD"> {
  readonly stratum: number;
}

/** The data from which one row of a run is computed. */
export interface RowEvidence {
  readonly metric: MetricDefinition;
  /** Computed from the same data, in the same way as in a run. */
  readonly row: UncorrectedRow;
  readonly sums: readonly EvidenceSums[];
  /**
   * Whether the lines include all users behind the row. Otherwise the row comes from the sums, and the lines are a
   * sample.
   */
  readonly isComplete: boolean;
  readonly lines: EvidenceLines;
}

/** Reads the data behind the row of a metric and a treatment; null when the data allow no row. */
export async function readRowEvidence(
  given: RunFrame,
  { metric, treatment }: { readonly metric: MetricDefinition; readonly treatment: string },
  events: MetricEvents,
): Promise<RowEvidence | null> {
  const frame = await withoutExcludedJudgements(given, events);
  const { periods, until, experiment } = frame;
  const { control } = experiment.config;
  const snapshot = await events.loadArms(armsQuery(frame, metricQueries([metric]), { withUserIds: true }));
  const exposures = inShare(snapshot.exposures, periods);
  const data =
    metric.source.event === "judge"
      ? judgedData(metric, frame, inShare(await loadFirstExposures(frame, events), periods))
      : eventData(metric, inShare(snapshot.metrics, periods), exposures);
  const window = { from: snapshot.firstExposureAt, to: until };
  // The run passed the gate; the row only keeps a copy of its p-value.
  const context = {
    frame,
    srmP: 1,
    window,
    expectedUsers: expectedUsers(frame, exposures, scheduleOf(frame, exposures)),
  };
  const { rows } = metricRows(metric, data, { ...context, arms: [control, treatment] });
  const [row] = rows;
  if (row === undefined) return null;
  const pair = { control, treatment };
  const { strata } = pairStrata(data.sums, pair, periods);
  const lines = linesOf(data, strata, pair);
  // A judged call has a line of its own; otherwise each user, or unit, has one.
  const { length } = lines.lines;
  const units = lines.type === "calls" ? new Set(lines.lines.map(({ userId }) => userId)).size : length;
  const used = Object.values(row.nPerArm).reduce((sum, n) => sum + n, 0);
  return { metric, row, sums: sumsOf(strata, pair), isComplete: units === used, lines };
}

interface Pair {
  readonly control: string;
  readonly treatment: string;
}

function sumsOf(strata: readonly PeriodStratum[], pair: Pair): readonly EvidenceSums[] {
  return strata.flatMap((of, stratum) =>
    (["control", "treatment"] as const).map((side) => {
      const { n: users, ...moments } = of[side].moments;
      return { arm: pair[side], stratum, users, ...moments };
    }),
  );
}

function linesOf({ sums, judged }: MetricData, strata: readonly PeriodStratum[], pair: Pair): EvidenceLines {
  const stratumOf = new Map(strata.flatMap(({ periods }, stratum) => periods.map((at) => [at, stratum])));
  const isUsed = ({ arm, period }: Pick<Line, "arm" | "period">) =>
    (arm === pair.control || arm === pair.treatment) && stratumOf.has(period);
  const place = ({ arm, period }: Pick<Line, "arm" | "period">) => ({
    ...{ arm, period },
    stratum: stratumOf.get(period)!,
  });
  if (judged !== null)
    return {
      type: "calls",
      lines: judged.users.filter(isUsed).flatMap((user) => callLines(user, place(user))),
    };
  const used = sums.filter(isUsed);
  // The query requested everybody's values.
  const bins = used.flatMap((row) => (row.sample!.type === "bins" ? binLines(row.sample!, place(row)) : []));
  if (bins.length > 0) return { type: "bins", lines: bins };
  const values = used.flatMap((row) => valueLines(row.sample as UserValues, place(row)));
  return { type: "values", lines: values };
}

type Place = Omit<Line, "userId">;

function callLines({ userId, calls }: JudgedUser, place: Place): readonly CallLine[] {
  return calls.map((call) => {
    const { score, label } = call;
    return { userId, ...place, weight: weightOf(call), score, label };
  });
}

function binLines({ bins, counts, offsets, userIds }: UserBins, place: Place): readonly BinLine[] {
  return userIds!.map((userId, user) => {
    const [from, to] = [offsets[user]!, offsets[user + 1]!];
    const own = Array.from({ length: to - from }, (_, i) => [bins[from + i]!, counts[from + i]!] as const);
    return { userId, ...place, calls: own };
  });
}

function valueLines({ y, d, preY, preD, userIds }: UserValues, place: Place): readonly ValueLine[] {
  return userIds!.map((userId, i) => ({
    userId,
    ...place,
    ...{ y: y[i]!, d: d[i]!, preY: preY[i]!, preD: preD[i]! },
  }));
}
