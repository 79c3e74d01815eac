import { bucketOf, variantAt } from "@assay/bucketing";
import { type Subject, subjectOf } from "../experiment/unit.ts";
import { type Stretch, stretchAt, type Timeline } from "./timeline.ts";

/**
 * Why an exposure counts for no arm. `not-started`, `stopped`, `disabled`, `uncovered`: `assign` had no variant for the user. `held`:
 * nobody got a variant. `shipped`: everybody got the same variant. `holdback`: it counts in the weeks of the holdback instead.
 * `qa`: the user is a QA user. `stray`: the exposure names a variant that had no share of the users at that instant.
 */
export const INELIGIBLE_REASONS = [
  "not-started",
  "stopped",
  "held",
  "shipped",
  "holdback",
  "qa",
  "disabled",
  "uncovered",
  "stray",
] as const;
export type IneligibleReason = (typeof INELIGIBLE_REASONS)[number];

/** A unit's assignment at an instant. */
export interface Assignment {
  /** Null: control behavior. */
  readonly variant: string | null;
  /** The variant that owns the user's bucket, whether or not anybody gets it at that instant. */
  readonly owner: string | null;
  /** Why the user is in no arm; null when the variant is the user's arm. */
  readonly reason: Exclude<IneligibleReason, "stray"> | null;
}

/** Returns the variant that `assign` gives a unit at an instant (epoch milliseconds). */
export function assignAt(timeline: Timeline, { userId, unitId }: Subject, at: number): Assignment {
  const stretch = stretchInForce(timeline, at);
  const inForce = stretch ?? timeline.stretches[0];
  const bucket = bucketOf(timeline, unitId);
  const found = inForce.variants[variantAt(inForce.buckets, bucket)];
  const owner = found?.key ?? null;
  if (inForce.holdback !== null) {
    const variant = inForce.variants[variantAt(inForce.holdback, bucket)]!.key;
    // Only users whose variant did not change with the shipping are compared during the holdback.
    return { variant, owner, reason: variant === owner ? "holdback" : "shipped" };
  }
  const status = statusReason(stretch);
  const listed = inForce.qaUsers.get(userId);
  if (status === null && listed !== undefined) return { variant: listed, owner, reason: "qa" };
  const reason = status ?? (found === undefined ? "uncovered" : found.isEnabled ? null : "disabled");
  return { variant: inForce.shippedVariant ?? (reason === null ? owner : null), owner, reason };
}

/** Exposures up to this long before the start count as if at the start: clocks differ, and many senders write whole seconds. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

function stretchInForce(timeline: Timeline, at: number): Stretch | null {
  const stretch = stretchAt(timeline, at);
  if (stretch !== null && stretch.status !== "draft") return stretch;
  const soon = stretchAt(timeline, at + CLOCK_TOLERANCE_MS);
  return soon?.status === "running" ? soon : stretch;
}

function statusReason(stretch: Stretch | null): "not-started" | "stopped" | "held" | "shipped" | null {
  if (stretch === null || stretch.status === "draft") return "not-started";
  if (stretch.status === "running") return stretch.isHeld ? "held" : null;
  return stretch.status === "shipped" ? "shipped" : "stopped";
}

/** An exposure as it was sent. */
export interface Exposure {
  readonly userId: string;
  /** As `refusalOf` requires it. */
  readonly unitId?: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The variant that it names, or null. */
  readonly variant: string | null;
}

/** The arm that an exposure counts for. */
export interface Attribution {
  /** The variant that the exposure names, else the one that `assign` gave at that instant; null: none. */
  readonly arm: string | null;
  /** The owner of the user's bucket at that instant, to compare with `arm`. */
  readonly owner: string | null;
  /** Why it counts for no arm; null: it is eligible. */
  readonly reason: IneligibleReason | null;
}

/**
 * Attributes an exposure. If it names a variant and is older than the first version, it was recorded elsewhere, and the shares
 * of the first version apply.
 */
export function attributeExposure(timeline: Timeline, exposure: Exposure): Attribution {
  const { userId, unitId, at, variant } = exposure;
  const subject = subjectOf(timeline.unit, userId, unitId) ?? { userId, unitId: "" };
  const assigned = assignAt(timeline, subject, at);
  const isCompared = assigned.reason === null || assigned.reason === "holdback";
  if (variant === null)
    return {
      arm: isCompared ? assigned.variant : null,
      owner: assigned.owner,
      reason: assigned.reason,
    };
  const { owner, reason } = assigned;
  if (reason === "holdback") return { arm: variant, owner, reason: variant === owner ? reason : "shipped" };
  return { arm: variant, owner, reason: namedReason(timeline, { userId, at, variant }) };
}

function namedReason(
  timeline: Timeline,
  { userId, at, variant }: Pick<Exposure, "userId" | "at"> & { readonly variant: string },
): IneligibleReason | null {
  const stretch = stretchInForce(timeline, at);
  const reason = stretch === null ? null : statusReason(stretch);
  if (reason !== null) return reason;
  const { shares, variants, qaUsers } = stretch ?? timeline.stretches[0];
  if (qaUsers.has(userId)) return "qa";
  if (Object.hasOwn(shares, variant)) return null;
  return variants.some(({ key, isEnabled }) => key === variant && !isEnabled) ? "disabled" : "stray";
}
