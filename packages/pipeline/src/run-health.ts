import { type ArmSnapshot, type HealthEntry, runSeed, type SrmGate } from "@assay/domain";
import { metricQueries } from "./metric-queries.ts";
import type { RunFrame } from "./run-frame.ts";
import { srmGate } from "./srm-gate.ts";

/** Contaminated users alarm from this share on, once there are this many (statistics §4). */
const CONTAMINATED_SHARE = 0.01;
const CONTAMINATED_USERS = 10;

/** Lists what a reader of the run must know besides the metrics. */
export function runHealth(frame: RunFrame, snapshot: ArmSnapshot, srm: SrmGate): readonly HealthEntry[] {
  return [
    ...srmEntry(srm),
    ...testUserEntry(frame, snapshot),
    ...contaminationEntry(snapshot),
    ...droppedEntries(snapshot),
    ...periodEntry(snapshot),
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

function contaminationEntry({ exposures }: ArmSnapshot): readonly HealthEntry[] {
  const users = exposures.reduce((sum, arm) => sum + arm.users, 0);
  const contaminated = exposures.reduce((sum, arm) => sum + arm.contaminatedUsers, 0);
  if (contaminated === 0) return [];
  const isAlarm = contaminated >= CONTAMINATED_USERS && contaminated / users >= CONTAMINATED_SHARE;
  const detail = `${contaminated} of ${users} users were seen in more than one variant: they are left out of every metric. Check that one user id is used everywhere.`;
  return [{ code: "contaminated-users", severity: isAlarm ? "warning" : "info", detail }];
}

function droppedEntries({ droppedPreExposure, variantConflicts }: ArmSnapshot): readonly HealthEntry[] {
  const entries: HealthEntry[] = [];
  if (droppedPreExposure > 0) {
    const detail = `${droppedPreExposure} outcomes came before the user's first exposure and do not count.`;
    entries.push({ code: "dropped-pre-exposure", severity: "info", detail });
  }
  if (variantConflicts > 0) {
    const detail = `${variantConflicts} outcomes name another variant than the user's first exposure and do not count.`;
    entries.push({ code: "variant-conflict", severity: "warning", detail });
  }
  return entries;
}

function periodEntry({ exposures }: ArmSnapshot): readonly HealthEntry[] {
  const periods = new Set(exposures.filter(({ users }) => users > 0).map(({ period }) => period)).size;
  if (periods < 2) return [];
  const detail = `The allocation changed within the window (${periods} periods). The traffic split is judged period by period; effects are pooled over them, which misleads when the base rate drifted meanwhile.`;
  return [{ code: "allocation-changed", severity: "warning", detail }];
}

function unanalysedEntries({ experiment }: RunFrame): readonly HealthEntry[] {
  const analysed = new Set(metricQueries(experiment.config.metrics).map(({ name }) => name));
  return experiment.config.metrics
    .filter(({ name }) => !analysed.has(name))
    .map(({ name, kind, source }) => ({
      code: "metric-not-analysed",
      severity: "warning" as const,
      detail: `${name} has no row: this version does not analyse ${source.event === "judge" ? "judge scores" : `kind "${kind}"`}.`,
    }));
}
