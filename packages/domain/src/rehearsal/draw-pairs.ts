import { murmur3 } from "@assay/bucketing";
import type { RehearsedPair } from "../ports/rehearsals.ts";
import { hashOf } from "./draw-places.ts";

/** A pair as it is shown to people. */
export interface ShownPair extends RehearsedPair {
  /** Says nothing about the arms. */
  readonly id: string;
  /** Whose answer people see first. */
  readonly first: "control" | "treatment";
}

/**
 * Orders a rehearsal's pairs at random: by a hash, and so that each treatment has the same number of pairs among the first ones. So
 * each pair of a treatment is equally likely to be among its first k.
 */
export function drawPairs(rehearsalId: string, pairs: readonly RehearsedPair[]): readonly RehearsedPair[] {
  const drawn = pairs.map((pair) => ({ pair, order: orderOf(rehearsalId, pair) }));
  drawn.sort((a, b) => a.order - b.order);
  const ofArms = [...Map.groupBy(drawn, ({ pair }) => pair.arm).values()];
  const ranked = ofArms.flatMap((ofArm) => ofArm.map(({ pair }, rank) => ({ pair, rank })));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ pair }) => pair);
}

/** A hash; the place decides between two that have the same. */
function orderOf(rehearsalId: string, pair: RehearsedPair): number {
  return murmur3(`${rehearsalId} ${pairKey(pair)}`, 0) * 2 ** 20 + pair.place;
}

/** Names a pair, and draws whose answer is shown first, by hashes that its place in the order does not depend on. */
export function showPair(rehearsalId: string, pair: RehearsedPair): ShownPair {
  const key = `shown ${pairKey(pair)}`;
  const first = murmur3(`${rehearsalId} ${key}`, 2) % 2 === 0 ? "control" : "treatment";
  const { place, arm, repeat } = pair;
  return { place, arm, repeat, id: hashOf(rehearsalId, key), first };
}

/** Up to here, people are shown pairs that nobody picked in yet. A pick further back would be in a pair that somebody chose. */
const SHOWN_PAIRS = 50;

/** The pairs to pick in next: the first ones without a pick. */
export function pairsToPick(
  drawn: readonly RehearsedPair[],
  picked: readonly RehearsedPair[],
): readonly RehearsedPair[] {
  const done = new Set(picked.map(pairKey));
  return drawn.filter((pair) => !done.has(pairKey(pair))).slice(0, SHOWN_PAIRS);
}

/** Picks of the treatment with the fewest, of as many treatments. */
export function fewestPicks(picked: readonly Pick<RehearsedPair, "arm">[], treatments: number): number {
  const counts = Array.from(
    { length: treatments },
    (_, i) => picked.filter(({ arm }) => arm === i + 1).length,
  );
  return Math.min(...counts);
}

/** Names a pair within its rehearsal. */
export function pairKey({ place, arm, repeat }: RehearsedPair): string {
  return `${place} ${arm} ${repeat}`;
}
