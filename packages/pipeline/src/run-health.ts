import {
  type ArmSnapshot,
  type HealthEntry,
  type MetricResult,
  runSeed,
  type SrmGate,
  toInstant,
} from "@assay/domain";
import { metricQueries } from "./metric-queries.ts";
import type { RunFrame } from "./run-frame.ts";
import { srmGate } from "./srm-gate.ts";

/** Contaminated users alarm from this share on, once there are this many (statistics §4). */
const CONTAMINATED_SHARE = 0.01;
const CONTAMINATED_USERS = 10;
/** From this share of outcomes on, losing them is no accident of single clocks. */
const DROPPED_SHARE = 0.05;

/** Lists what a reader of the run must know besides the metrics. */
export function runHealth(frame: RunFrame, snapshot: ArmSnapshot, srm: SrmGate): readonly HealthEntry[] {
  return [
    ...srmEntry(srm),
    ...testUserEntry(frame, snapshot),
    ...contaminationEntries(frame, snapshot),
    ...heavyUserEntry(snapshot),
    ...droppedEntries(snapshot),
    ...periodEntry(snapshot),
    ...editEntry(frame, snapshot),
    ...unanalysedEntries(frame),
  ];
}

function srmEntry({ status, pValue, threshold }: SrmGate): readonly HealthEntry[] {
  if (status === "passed") return [];
  const detail = `The traffic split differs from the allocation (p = ${pValue.toPrecision(2)} < ${threshold}): results are withheld, because differences could come from who was counted. Look for exposures that one variant loses: crashes, slow answers, caches, redirects.`;
  return [{ code: "srm", severity: "critical", detail }];
}

function testUserEntry(
  { experiment, periods }: RunFrame,
  { exposures }: ArmSnapshot,
): readonly HealthEntry[] {
  const testUsers = exposures.reduce((sum, arm) => sum + arm.testUsers, 0);
  if (testUsers === 0) return [];
  const { pValue } = srmGate(exposures, periods, {
    seed: runSeed(experiment.id),
    without: "test-users",
  });
  const detail = `Exposures of ${testUsers} test user(s) count in the traffic split; without them its p-value is ${pValue.toPrecision(2)}.`;
  return [{ code: "test-events", severity: "info", detail }];
}

function contaminationEntries(
  { experiment, periods }: RunFrame,
  { exposures }: ArmSnapshot,
): readonly HealthEntry[] {
  const users = exposures.reduce((sum, arm) => sum + arm.users, 0);
  const contaminated = exposures.reduce((sum, arm) => sum + arm.contaminatedUsers, 0);
  if (contaminated === 0) return [];
  const isAlarm = contaminated >= CONTAMINATED_USERS && contaminated / users >= CONTAMINATED_SHARE;
  const detail = `${contaminated} of ${users} users were seen in more than one variant: they are left out of every metric. Check that one user id is used everywhere.`;
  const rest = srmGate(exposures, periods, { seed: runSeed(experiment.id), without: "contaminated-users" });
  return [
    { code: "contaminated-users", severity: isAlarm ? "warning" : "info", detail },
    ...(rest.status === "passed" ? [] : [biasedContaminationEntry(rest)]),
  ];
}

/** Leaving users out is harmless only when it hits the arms alike. */
function biasedContaminationEntry({ pValue }: SrmGate): HealthEntry {
  const detail = `Without the users seen in more than one variant the traffic split differs from the allocation (p = ${pValue.toPrecision(2)}): one arm loses more of them than the other, which may bias every metric.`;
  return { code: "contamination-biased", severity: "warning", detail };
}

function heavyUserEntry({ exposures }: ArmSnapshot): readonly HealthEntry[] {
  const heavy = exposures.reduce((sum, arm) => sum + arm.heavyUsers, 0);
  if (heavy === 0) return [];
  const detail = `${heavy} user(s) make more than 1,000 model calls a day: bots, or one id for many people. They count; a cap on the metric bounds what they weigh.`;
  return [{ code: "heavy-users", severity: "warning", detail }];
}

function droppedEntries({
  outcomes,
  droppedPreExposure,
  variantConflicts,
}: ArmSnapshot): readonly HealthEntry[] {
  const entries: HealthEntry[] = [];
  const all = outcomes + droppedPreExposure + variantConflicts;
  if (droppedPreExposure > 0) {
    const isMany = droppedPreExposure / all >= DROPPED_SHARE;
    const advice = isMany
      ? " So many point to clocks that differ between the senders, or to exposures that are sent late: compare their timestamps."
      : "";
    const detail = `${droppedPreExposure} of ${all} outcomes came before the user's first exposure, or without any, and do not count.${advice}`;
    entries.push({ code: "dropped-pre-exposure", severity: isMany ? "warning" : "info", detail });
  }
  if (variantConflicts > 0) {
    const detail = `${variantConflicts} of ${all} outcomes name another variant than the user's first exposure and do not count.`;
    entries.push({ code: "variant-conflict", severity: "warning", detail });
  }
  return entries;
}

function periodEntry({ exposures }: ArmSnapshot): readonly HealthEntry[] {
  const periods = new Set(exposures.filter(({ users }) => users > 0).map(({ period }) => period)).size;
  if (periods < 2) return [];
  const detail = `The allocation changed within the window (${periods} periods). The traffic split is judged, and the arms are compared, within each period, so a change of the base rate between them does no harm.`;
  return [{ code: "allocation-changed", severity: "info", detail }];
}

function editEntry({ variantEdits, until }: RunFrame, snapshot: ArmSnapshot): readonly HealthEntry[] {
  const { firstExposureAt } = snapshot;
  if (firstExposureAt === null) return [];
  const edits = variantEdits.filter(({ at }) => at > firstExposureAt && at < until);
  if (edits.length === 0) return [];
  const list = edits.map(({ variant, at }) => `${variant} at ${toInstant(at)}`).join(", ");
  const detail = `Variants changed while users had them (${list}): the effects mix what was before and after. Start a new experiment to judge the new text alone.`;
  return [{ code: "variant-edited", severity: "warning", detail }];
}

/** Says so when the correction asks for smaller p-values than the permutations can give. */
export function floorEntry(rows: readonly MetricResult[]): readonly HealthEntry[] {
  const stuck = rows.filter(({ pFloor, significant }) => pFloor && !significant).map(({ metric }) => metric);
  if (stuck.length === 0) return [];
  const detail = `${[...new Set(stuck)].join(", ")}: the smallest p-value of ${Math.max(...rows.map(({ permutationsUsed }) => permutationsUsed))} permutations does not survive the correction over ${rows.length} rows. Compare fewer metrics, or raise the plan's permutations.`;
  return [{ code: "permutations-too-few", severity: "warning", detail }];
}

function unanalysedEntries({ experiment }: RunFrame): readonly HealthEntry[] {
  const analysed = new Set(metricQueries(experiment.config.metrics).map(({ name }) => name));
  return experiment.config.metrics
    .filter(({ name }) => !analysed.has(name))
    .map(({ name }) => ({
      code: "metric-not-analysed",
      severity: "warning" as const,
      detail: `${name} has no row: this version does not analyse judge scores.`,
    }));
}
