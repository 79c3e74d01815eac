/** One of the answers that a person chose from. */
export interface PickedCall {
  readonly eventId: string;
  readonly variant: string;
  readonly userId: string;
}

/** Which of several answers a person found best, without knowing the variants. */
export interface Pick {
  readonly orgId: string;
  readonly experimentId: string;
  /** The same for one person's picks among the same answers. */
  readonly id: string;
  readonly calls: readonly PickedCall[];
  /** One of the calls; null: all are equally good. */
  readonly best: string | null;
  readonly pickedBy: string;
  readonly pickedByName: string;
  /** Epoch milliseconds. */
  readonly pickedAt: number;
}

/** How often a variant's answer was found best. */
export interface PickCounts {
  /** By variant: the comparisons it was in, and those in which its answer was best. */
  readonly variants: Readonly<Record<string, { readonly compared: number; readonly best: number }>>;
  /** Comparisons without a best answer. */
  readonly same: number;
}

/** Counts picks by variant. */
export function countPicks(picks: readonly Pick[]): PickCounts {
  const variants: Record<string, { readonly compared: number; readonly best: number }> = {};
  for (const { calls, best } of picks)
    for (const { eventId, variant } of calls) {
      const { compared = 0, best: won = 0 } = variants[variant] ?? {};
      variants[variant] = { compared: compared + 1, best: won + Number(eventId === best) };
    }
  return { variants, same: picks.filter(({ best }) => best === null).length };
}

/** How often a judge ranks two answers like a person. */
export interface PickAgreement {
  /** Pairs of the best answer and another one to which the judge gave different scores. */
  readonly pairs: number;
  readonly agreed: number;
  /** Pairs to which the judge gave the same score. */
  readonly ties: number;
}

/** Compares picks with a judge's scores, by event id. */
export function pickAgreement(picks: readonly Pick[], scores: ReadonlyMap<string, number>): PickAgreement {
  let [pairs, agreed, ties] = [0, 0, 0];
  for (const { calls, best } of picks) {
    const bestScore = best === null ? undefined : scores.get(best);
    if (bestScore === undefined) continue;
    for (const { eventId } of calls) {
      const score = scores.get(eventId);
      if (eventId === best || score === undefined) continue;
      if (score === bestScore) ties += 1;
      else {
        pairs += 1;
        if (score < bestScore) agreed += 1;
      }
    }
  }
  return { pairs, agreed, ties };
}
