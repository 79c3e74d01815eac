import {
  type ArmMetric,
  type ExperimentUnit,
  type HealthEntry,
  type MetricDefinition,
  type RunLabel,
  UNIT_WORDS,
} from "@assay/domain";
import { countClusters } from "@assay/stats";

/** Contract §9: a nightly row needs this many evaluated events, from this many users, in every arm. */
export const MIN_EVENTS_PER_ARM = 200;
export const MIN_USERS_PER_ARM = 20;
/** A test of two samples needs a spread in each: the minimum of a manual run. */
const MIN_USERS_OF_TEST = 2;
/** Maximum number of arms that a sentence names: those that lack the most. */
const MAX_NAMED_ARMS = 3;

/** One arm's counts of a metric, over all periods. */
export interface ArmCounts {
  readonly arm: string;
  readonly users: number;
  readonly events: number;
  /** Users who own these units, if the unit is not the user; `users` then counts units. */
  readonly clusters?: number;
}

/** Counts users and evaluated events per arm; arms without data count zero. */
export function countArms(rows: readonly ArmMetric[], arms: readonly string[]): readonly ArmCounts[] {
  return arms.map((arm) => {
    const own = rows.filter((row) => row.arm === arm);
    const clusters = own.flatMap(({ sample }) => sample?.clusters ?? []);
    return {
      arm,
      ...(clusters.length > 0 && { clusters: countClusters(clusters) }),
      users: own.reduce((sum, { users }) => sum + users, 0),
      events: own.reduce((sum, { events }) => sum + events, 0),
    };
  });
}

/** Returns whether the metric's rows may exist. Depends on counts only, so the FDR procedure stays valid (statistics §2). */
export function isEligible(counts: readonly ArmCounts[], label: RunLabel): boolean {
  const least = label.kind === "manual" ? MIN_USERS_OF_TEST : MIN_USERS_PER_ARM;
  const hasUsers = counts.every(({ users, clusters = users }) => clusters >= least);
  return hasUsers && (label.kind === "manual" || counts.every(({ events }) => events >= MIN_EVENTS_PER_ARM));
}

/**
 * Returns whether no user has a value: the metric is never reported, often because its name is misspelled. A share of 0%
 * in every arm is not a finding.
 */
export function isUnreported({ kind }: MetricDefinition, rows: readonly ArmMetric[]): boolean {
  if (rows.length === 0) return false;
  return kind === "binary"
    ? rows.every(({ meanY }) => meanY === 0)
    : rows.every(({ events }) => events === 0);
}

/** Says that a metric is still collecting, with its counts. */
export function collectingEntry(
  { name, source }: MetricDefinition,
  counts: readonly ArmCounts[],
  { label, unit }: { readonly label: RunLabel; readonly unit: ExperimentUnit },
): HealthEntry {
  const what = source.event === "judge" ? "judged calls" : "events";
  const ofUnits = (count: number) => (unit === "user" ? "" : `${counted(count, UNIT_WORDS[unit])} of `);
  const eventWords = { one: what.slice(0, -1), many: what };
  const named = counts.length > MAX_NAMED_ARMS + 1 ? fewest(counts, MAX_NAMED_ARMS) : counts;
  const perArm = named.map(
    ({ arm, events, users, clusters = users }) =>
      `${arm} ${counted(events, eventWords)} of ${ofUnits(users)}${counted(clusters, UNIT_WORDS.user)}`,
  );
  if (named !== counts)
    perArm.push(`at least as many ${what} in ${counts.length - MAX_NAMED_ARMS} more arms`);
  const needed =
    label.kind === "manual"
      ? `${MIN_USERS_OF_TEST} users`
      : `${MIN_EVENTS_PER_ARM} ${source.event === "judge" ? what : "evaluated events"} of ${MIN_USERS_PER_ARM} users`;
  return {
    code: "metric-collecting",
    severity: "info",
    detail: `${name} is collecting: ${perArm.join(", ")}. Every arm needs ${needed}.`,
  };
}

function fewest(counts: readonly ArmCounts[], most: number): readonly ArmCounts[] {
  return counts.toSorted((a, b) => a.events - b.events).slice(0, most);
}

function counted(count: number, { one, many }: { readonly one: string; readonly many: string }): string {
  return `${count} ${count === 1 ? one : many}`;
}
