import { type BucketMap, mergedRuns } from "../allocation/bucket-map.ts";
import type { FieldFault } from "../problem.ts";
import { DAY_MS } from "../time/day.ts";
import type { Experiment, ExperimentConfig, Holdback } from "./config.ts";
import { UNIT_WORDS } from "./unit.ts";

/** The part of a holdback that callers may set. */
export type HoldbackInput = Pick<Holdback, "percent">;

export const SMALLEST_HOLDBACK_PERCENT = 2;
/** A holdback ends by itself after this many weeks: a temporary lift has faded by then, and held-back users get the better variant. */
export const HOLDBACK_WEEKS = 12;
const WEEK_MS = 7 * DAY_MS;
/** Clients may send events a day late, so a week is analyzed a day after its end. */
const LATEST_EVENTS_MS = DAY_MS;

type Held = Pick<ExperimentConfig, "holdback">;

/** Returns the current holdback, or null. */
export function openHoldback({ holdback }: Held): Holdback | null {
  return holdback?.to === null ? holdback : null;
}

/** Applies a change to a holdback. An experiment that is running again has none. */
export function mergeHoldback(
  current: ExperimentConfig,
  change: HoldbackInput | Holdback | null | undefined,
  status: ExperimentConfig["status"],
): Holdback | null {
  if (change && "to" in change) return change;
  const kept = status === "running" || status === "draft" ? null : current.holdback;
  const isShipping = status === "shipped" && current.status !== "shipped";
  if (!change || (kept?.percent === change.percent && !isShipping)) return kept;
  return { percent: change.percent, from: null, to: null };
}

/** Dates a holdback: it begins with the version that ships, and ends at the latest with the version that no longer ships. */
export function datedHoldback({ holdback, status }: ExperimentConfig, at: number): Holdback | null {
  if (holdback === null) return null;
  const isOver = holdback.to === null && status !== "shipped";
  return { ...holdback, from: holdback.from ?? at, to: isOver ? at : holdback.to };
}

/**
 * Returns who gets what during a holdback: the first of control's buckets keep control, and all other buckets get the shipped variant.
 * Buckets are hashes, so the users in the first ones are a random sample.
 */
export function holdbackMap({ bucketMap, config }: Pick<Experiment, "bucketMap" | "config">): BucketMap {
  const { control, shippedVariant, holdback } = config;
  let left = heldBackBuckets(config, holdback!);
  return mergedRuns(
    bucketMap.flatMap(({ start, end, variant }) => {
      const taken = variant === control ? Math.min(left, end - start) : 0;
      left -= taken;
      return [
        { start, end: start + taken, variant: control },
        { start: start + taken, end, variant: shippedVariant },
      ];
    }),
  );
}

/** Rounded down, so that no more users are held back than requested. */
function heldBackBuckets({ bucketCount }: ExperimentConfig, { percent }: HoldbackInput): number {
  return Math.floor((percent * bucketCount) / 100 + 1e-9);
}

/**
 * Returns the expected shares of the two compared groups: held-back users, and users whose buckets had the shipped variant in the
 * experiment. The variant of both never changed, so the comparison continues the experiment's.
 */
export function holdbackShares(
  experiment: Pick<Experiment, "bucketMap" | "config">,
): Readonly<Record<string, number>> {
  const { control, shippedVariant } = experiment.config;
  const [held, winners] = [
    bucketsOf(holdbackMap(experiment), control),
    bucketsOf(experiment.bucketMap, shippedVariant!),
  ];
  return { [control]: held / (held + winners), [shippedVariant!]: winners / (held + winners) };
}

/** A change to the prompt or variables of compared variants. */
export interface TextChange {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly variants: readonly string[];
}

/**
 * Lists the changes to the prompt or variables of control or the shipped variant during the holdback. `versions` are all versions of
 * the experiment, oldest first.
 */
export function textChanges(
  versions: readonly Pick<Experiment, "config" | "updatedAt">[],
): readonly TextChange[] {
  const { holdback } = versions.at(-1)!.config;
  if (!holdback) return [];
  const { from, to } = holdback;
  // An experiment that was stopped since then has no shipped variant any more, or another one.
  const { control, shippedVariant } = versions.find(
    ({ config }) => openHoldback(config)?.from === from,
  )!.config;
  return versions.slice(1).flatMap(({ config, updatedAt: at }, i) => {
    if (at < from! || (to !== null && at >= to)) return [];
    const variants = [control, shippedVariant!].filter(
      (key) => textOf(config, key) !== textOf(versions[i]!.config, key),
    );
    return variants.length === 0 ? [] : [{ at, variants }];
  });
}

function textOf({ variants }: ExperimentConfig, key: string): string {
  const { prompt, variables } = variants.find((variant) => variant.key === key)!;
  return JSON.stringify([prompt, variables]);
}

const bucketsOf = (map: BucketMap, of: string) =>
  map.reduce((sum, { start, end, variant }) => sum + (variant === of ? end - start : 0), 0);

interface Change {
  readonly current: Experiment;
  readonly next: ExperimentConfig;
  readonly bucketMap: BucketMap;
  readonly sent: HoldbackInput | Holdback | null | undefined;
  /** Whether an earlier version shipped a variant. */
  readonly wasShipped: boolean;
}

/** Lists why a change of the experiment cannot begin, change or keep a holdback. Pointers use wire names. */
export function holdbackFaults(change: Change): readonly FieldFault[] {
  const { current, next, sent } = change;
  if (next.holdback?.from === null) return beginFaults(change);
  if (openHoldback(next) === null || next.status !== "shipped") return [];
  if (sent === null) {
    const detail = "A holdback ends with POST /v1/experiments/{id}/holdback/end: leave this field out.";
    return [{ pointer: "/holdback", detail }];
  }
  const frozen = ["allocation", "control", "coverage", "shippedVariant"] as const;
  const changed = frozen.filter(
    (field) => JSON.stringify(next[field]) !== JSON.stringify(current.config[field]),
  );
  const detail = `${capitalized(UNIT_WORDS[next.unit].many)} are held back by this: end the holdback first.`;
  return [
    ...changed.map((field) => ({
      pointer: field === "shippedVariant" ? "/shipped_variant" : `/${field}`,
      detail,
    })),
    ...controlFaults(next),
  ];
}

function controlFaults({ control, variants, unit }: ExperimentConfig): readonly FieldFault[] {
  if (variants.some(({ key, enabled }) => key === control && enabled)) return [];
  const detail = `${capitalized(UNIT_WORDS[unit].many)} held back get control: switch "${control}" on, or end the holdback.`;
  return [{ pointer: "/variants", detail }];
}

function beginFaults(change: Change): readonly FieldFault[] {
  const detail = beginFault(change);
  return detail === null ? controlFaults(change.next) : [{ pointer: "/holdback", detail }];
}

function beginFault({ current, next, bucketMap, wasShipped }: Change): string | null {
  const { holdback, control, shippedVariant, bucketCount, status, unit } = next;
  const { one, many } = UNIT_WORDS[unit];
  if (openHoldback(current.config) !== null)
    return "The running holdback cannot be changed: leave this field out, or end the holdback with POST /v1/experiments/{id}/holdback/end.";
  if (current.config.status === "shipped")
    return "A holdback can only begin when the experiment ships: everybody has the shipped variant now, and nobody goes back to control.";
  if (status !== "shipped") return 'A holdback needs status "shipped": send both in one request.';
  if (wasShipped)
    return `The experiment was shipped before, so control's ${many} have had another variant: ship it without a holdback.`;
  if (next.assignment === "external")
    return "Another system gave users their variants, so Assay does not know who had control: ship without a holdback.";
  if (shippedVariant === control) return "Control itself is shipped: there is nothing to hold back.";
  const held = heldBackBuckets(next, holdback!);
  if (held === 0)
    return `A bucket is ${percentOf(1, bucketCount)}% of the ${many}, more than would be held back: ship without a holdback.`;
  const ofControl = bucketsOf(bucketMap, control);
  if (ofControl < held) {
    const percent = percentOf(ofControl, bucketCount);
    const fewer = percent < SMALLEST_HOLDBACK_PERCENT ? "" : "hold back fewer, or ";
    return `Only control's ${many} can be held back, and they are ${percent}% of all: ${fewer}ship without a holdback.`;
  }
  if (bucketsOf(bucketMap, shippedVariant!) > 0) return null;
  return `No ${one} had "${shippedVariant}" in the experiment, so there is nobody to compare with: ship without a holdback.`;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const percentOf = (buckets: number, all: number) => Number(((100 * buckets) / all).toPrecision(3));

/** When a holdback ends, or ended: epoch milliseconds. */
export function holdbackEnd({ from, to }: Holdback): number {
  const latest = from! + HOLDBACK_WEEKS * WEEK_MS;
  return Math.min(latest, to ?? latest);
}

/** A half-open stretch of time, epoch milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Lists the weeks of a holdback whose events have all arrived. The last week is shorter if somebody ended the holdback. */
export function dueWeeks(holdback: Holdback, now: number): readonly TimeRange[] {
  const end = holdbackEnd(holdback);
  const weeks = Array.from({ length: HOLDBACK_WEEKS }, (_, week) => {
    const from = holdback.from! + week * WEEK_MS;
    return { from, to: Math.min(end, from + WEEK_MS) };
  });
  return weeks.filter(({ from, to }) => from < to && to + LATEST_EVENTS_MS <= now);
}
