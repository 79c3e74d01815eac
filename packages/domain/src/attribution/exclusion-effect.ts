import { fisherExact } from "@assay/stats";

/** What an exclusion would remove from an arm. */
export interface ExclusionEffect {
  /** The arm of the first exposure as it counts now; null: users without an exposure. */
  readonly arm: string | null;
  readonly users: number;
  /** Users who would lose at least one event. */
  readonly affectedUsers: number;
  /** Users who would no longer count in this arm. */
  readonly removedUsers: number;
  readonly events: number;
  readonly removedEvents: number;
}

/** As strict as the SRM gate. */
const UNEVEN_LEVEL = 0.001;

/** Whether an exclusion treats the arms alike. */
export interface ExclusionBalance {
  /** Null: fewer than two arms have users. */
  readonly pValue: number | null;
  readonly differs: boolean;
  /** One or two sentences for the person who is about to save it; null: nothing to warn about. */
  readonly warning: string | null;
}

/**
 * Tests whether the arms lose users at the same rate: Fisher's exact test of each arm against all others, times the number
 * of arms when there are more than two (Bonferroni).
 */
export function exclusionBalance(effects: readonly ExclusionEffect[]): ExclusionBalance {
  const arms = effects.filter(({ arm, users }) => arm !== null && users > 0);
  if (arms.length < 2) return { pValue: null, differs: false, warning: null };
  const tests = arms.length === 2 ? 1 : arms.length;
  const smallest = Math.min(...arms.map((own) => pValueOf(own, arms)));
  const pValue = Math.min(1, tests * smallest);
  const differs = pValue < UNEVEN_LEVEL;
  return { pValue, differs, warning: differs ? warningOf(arms, pValue) : null };
}

function pValueOf(own: ExclusionEffect, arms: readonly ExclusionEffect[]): number {
  const others = arms.filter((arm) => arm !== own);
  const sum = (of: (arm: ExclusionEffect) => number) => others.reduce((total, arm) => total + of(arm), 0);
  const outcome = fisherExact(
    { n: sum(({ users }) => users), successes: sum(({ affectedUsers }) => affectedUsers) },
    { n: own.users, successes: own.affectedUsers },
  );
  return outcome!.pValue;
}

function warningOf(arms: readonly ExclusionEffect[], pValue: number): string {
  const shares = arms.map(({ arm, users, affectedUsers }) => `${arm} ${percent(affectedUsers / users)}`);
  return `The arms would lose different shares of their users: ${shares.join(", ")} (p = ${pValue.toPrecision(2)}). The remaining users may then differ because of the exclusion. Match by something that does not depend on the arm, such as a time range or a key.`;
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))}%`;
}
