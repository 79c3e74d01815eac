import { murmur3 } from "@assay/bucketing";
import type { RehearsedPair } from "../ports/rehearsals.ts";
import { hashOf } from "./draw-places.ts";

/** A pair as it is shown to people. */
export interface ShownPair extends RehearsedPair {
  /** Does not reveal the arms. */
  readonly id: string;
  /** Whose answer people see first. */
  readonly first: "control" | "treatment";
}

/**
 * Orders a rehearsal's pairs at random, by a hash, with the treatments taking turns. Each pair of a treatment is equally likely to be
 * among that treatment's first k.
 */
export function drawPairs(rehearsalId: string, pairs: readonly RehearsedPair[]): readonly RehearsedPair[] {
  const drawn = pairs.map((pair) => ({ pair, order: orderOf(rehearsalId, pair) }));
  drawn.sort((a, b) => a.order - b.order);
  const ofArms = [...Map.groupBy(drawn, ({ pair }) => pair.arm).values()];
  const ranked = ofArms.flatMap((ofArm) => ofArm.map(({ pair }, rank) => ({ pair, rank })));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ pair }) => pair);
}

/** A hash. The place breaks ties. */
function orderOf(rehearsalId: string, pair: RehearsedPair): number {
  return murmur3(`${rehearsalId} ${pairKey(pair)}`, 0) * 2 ** 20 + pair.place;
}

/** Gives a pair an id and draws whose answer is shown first. Both use hashes that are independent of the pair's place in the order. */
export function showPair(rehearsalId: string, pair: RehearsedPair): ShownPair {
  const key = `shown ${pairKey(pair)}`;
  const first = murmur3(`${rehearsalId} ${key}`, 2) % 2 === 0 ? "control" : "treatment";
  const { place, arm, repeat } = pair;
  return { place, arm, repeat, id: hashOf(rehearsalId, key), first };
}

/** Number of pairs without a pick that are open to people. Picks beyond it are refused: they would be in pairs that somebody chose. */
const SHOWN_PAIRS = 50;

/** The pairs to pick in next: the first ones without a pick. */
export function pairsToPick(
  drawn: readonly RehearsedPair[],
  picked: readonly RehearsedPair[],
): readonly RehearsedPair[] {
  const done = new Set(picked.map(pairKey));
  return drawn.filter((pair) => !done.has(pairKey(pair))).slice(0, SHOWN_PAIRS);
}

/** Returns the number of picks of the treatment with the fewest picks, out of `treatments`. */
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
