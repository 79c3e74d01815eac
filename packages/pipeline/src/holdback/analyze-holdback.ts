import type { EventStore, HoldbackRow, HoldbackWindow, MetricResult } from "@assay/domain";
import { runSeed } from "@assay/domain";
import { metricQueries } from "../compare/metric-queries.ts";
import { inShare, srmGate } from "../health/srm-gate.ts";
import { correctRows } from "../run/correct.ts";
import { eventData } from "../run/metric-data.ts";
import { metricRows } from "../run/metric-rows.ts";
import { armsQuery } from "../run/read-run-events.ts";
import type { RunFrame } from "../run-frame.ts";

/** A stretch of a holdback to analyze. */
export interface HoldbackFrame {
  /** The frame of a night at the end of the stretch. Its only period has the shares of the compared users. */
  readonly frame: RunFrame;
  /** Epoch milliseconds. */
  readonly from: number;
}

/**
 * Compares users with the shipped variant with held-back users, by their first exposure in the stretch. The gate, the tests and the
 * minimum number of events are those of a night. There are no covariates, because the variant also affected what users did before.
 */
export async function analyzeHoldback(
  { frame, from }: HoldbackFrame,
  events: Pick<EventStore, "loadArms">,
): Promise<HoldbackWindow> {
  const { experiment, periods, until } = frame;
  const { control, shippedVariant } = experiment.config;
  const metrics = experiment.config.metrics.filter(({ source }) => source.event !== "judge");
  const query = armsQuery(frame, metricQueries(metrics), { preDays: 0 });
  const snapshot = await events.loadArms({ ...query, exposures: "holdback" });
  const exposures = inShare(snapshot.exposures, periods);
  const sums = inShare(snapshot.metrics, periods);
  const srm = srmGate(exposures, periods, { seed: runSeed(experiment.id) });
  const isWithheld = srm.status === "halted";
  const input = {
    ...{ frame, arms: [control, shippedVariant!], srmP: srm.pValue },
    ...{ window: { from, to: until }, expectedUsers: {} },
  };
  const rows = isWithheld
    ? []
    : metrics.flatMap((metric) => metricRows(metric, eventData(metric, sums, exposures), input).rows);
  return {
    ...{ from, to: until, users: srm.observed, srmP: srm.pValue, isWithheld },
    rows: correctRows(rows).map(toHoldbackRow),
  };
}

/** Keeps the fields of a row that a holdback's report shows. */
export function toHoldbackRow(row: MetricResult): HoldbackRow {
  const { metric, metricVersion, desired, test, controlValue, treatmentValue, effect, ciLow, ciHigh } = row;
  const { relativeEffect, relativeCiLow, relativeCiHigh, nPerArm } = row;
  return {
    ...{ metric, metricVersion, desired, test, controlValue, treatmentValue, effect, ciLow, ciHigh },
    ...{ relativeEffect, relativeCiLow, relativeCiHigh, nPerArm },
  };
}
