import {
  type ArmSnapshot,
  type ExperimentConfig,
  type HealthCheck,
  type HealthEntry,
  type MetricResult,
  type SrmGate,
  toInstant,
  UNIT_WORDS,
} from "@assay/domain";
import { sumOf } from "@assay/stats";
import { areMany } from "../health/attribution.ts";
import { checkRemarks } from "../health/checks.ts";
import { counted } from "../health/share-text.ts";
import type { RunFrame } from "../run-frame.ts";

type OfUnit = Pick<ExperimentConfig, "unit">;

/** From this share on, a few wrong clocks no longer explain the lost outcomes. */
const DROPPED_SHARE = 0.05;

/** Lists what a reader of the run must know in addition to the metrics: findings of the checks, and remarks on the run itself. */
export function runHealth(
  frame: RunFrame,
  snapshot: ArmSnapshot,
  { checks, srm }: { readonly checks: readonly HealthCheck[]; readonly srm: SrmGate },
): readonly HealthEntry[] {
  return [
    ...checkRemarks(checks, frame.experiment.config.metrics),
    ...missingEntry(frame, srm),
    ...heavyUserEntry(snapshot, frame.experiment.config),
    ...droppedEntry(snapshot, frame.experiment.config),
    ...periodEntry(snapshot),
    ...editEntry(frame, snapshot),
  ];
}

/** Reports missing units. Nights read the same events, so the number of units can only grow. */
function missingEntry({ nights, experiment }: RunFrame, { observed }: SrmGate): readonly HealthEntry[] {
  const before = Math.max(0, ...nights.map(({ units }) => units));
  const now = sumOf(Object.values(observed));
  const missing = before - now;
  // A few are exposures that were corrected late.
  if (!areMany(missing, before)) return [];
  const { many } = UNIT_WORDS[experiment.config.unit];
  const detail = `${counted(missing)} ${many} are missing: an earlier night counted ${counted(before)}, this run ${counted(now)}. Unless they were erased, the event store has lost events: restore it from a backup.`;
  return [{ code: "units-missing", severity: "warning", detail }];
}

function heavyUserEntry({ exposures }: ArmSnapshot, { unit }: OfUnit): readonly HealthEntry[] {
  const heavy = exposures.reduce((sum, arm) => sum + arm.heavyUsers, 0);
  if (heavy === 0) return [];
  const source = unit === "user" ? "bots, or one id for many people" : "loops, or one id for many of them";
  const detail = `${heavy} ${UNIT_WORDS[unit].one}(s) make more than 1,000 model calls a day: ${source}. They count; a cap on the metric limits their weight.`;
  return [{ code: "heavy-users", severity: "warning", detail }];
}

function droppedEntry(
  { outcomes, droppedPreExposure, variantConflicts }: ArmSnapshot,
  { unit }: OfUnit,
): readonly HealthEntry[] {
  if (droppedPreExposure === 0) return [];
  const all = outcomes + droppedPreExposure + variantConflicts;
  const { one } = UNIT_WORDS[unit];
  const isMany = droppedPreExposure / all >= DROPPED_SHARE;
  const advice = isMany
    ? ` So many suggest that the senders' clocks differ, that exposures are sent late, or that outcomes have other ${one} ids than exposures: compare timestamps and ids.`
    : "";
  const detail = `${counted(droppedPreExposure)} of ${counted(all)} outcomes came before the ${one}'s first exposure, or without any, and do not count.${advice}`;
  return [{ code: "dropped-pre-exposure", severity: isMany ? "warning" : "info", detail }];
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

/** Remarks when the correction needs smaller p-values than the permutations can give. */
export function floorEntry(rows: readonly MetricResult[]): readonly HealthEntry[] {
  const stuck = rows.filter(({ pFloor, significant }) => pFloor && !significant).map(({ metric }) => metric);
  if (stuck.length === 0) return [];
  const detail = `${[...new Set(stuck)].join(", ")}: the smallest p-value of ${counted(Math.max(...rows.map(({ permutationsUsed }) => permutationsUsed)))} permutations does not survive the correction over ${rows.length} rows. Compare fewer metrics, or raise the plan's permutations.`;
  return [{ code: "permutations-too-few", severity: "warning", detail }];
}
