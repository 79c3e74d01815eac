import { fineBinEdges } from "../histogram.ts";

/** The calls of one arm's users: user i owns the entries from `offsets[i]` to `offsets[i + 1]`, ascending fine bins. */
export interface ClusterBins {
  readonly bins: Int32Array;
  readonly counts: Uint32Array;
  /** One longer than there are users. */
  readonly offsets: Uint32Array;
}

/** Counts the users of an arm. */
export function binUsers({ offsets }: ClusterBins): number {
  return offsets.length - 1;
}

/** Several groups of users over one list of bins, so that a bin is a place in that list. */
export interface IndexedBins {
  /** Of every bin that occurs, ascending. */
  readonly edges: readonly (readonly [low: number, high: number])[];
  readonly groups: readonly IndexedGroup[];
}

export interface IndexedGroup extends Omit<ClusterBins, "bins"> {
  readonly places: Int32Array;
  /** How many places there are. */
  readonly bins: number;
}

/** Numbers the fine bins that occur in any of the groups. */
export function indexBins(groups: readonly ClusterBins[]): IndexedBins {
  const occurring = new Set<number>();
  for (const { bins } of groups) for (const bin of bins) occurring.add(bin);
  const ascending = [...occurring].sort((a, b) => a - b);
  const placeOf = new Map(ascending.map((bin, place) => [bin, place]));
  return {
    edges: ascending.map(fineBinEdges),
    groups: groups.map(({ bins, counts, offsets }) => ({
      places: bins.map((bin) => placeOf.get(bin)!),
      bins: ascending.length,
      counts,
      offsets,
    })),
  };
}

/** A point of a binned distribution: `fraction` of the bin at `place` and all of those before lie at or below it. */
export interface Position {
  readonly place: number;
  readonly fraction: number;
}

/** How often each user of a group counts, and with what weight each time. */
export interface UserWeights {
  readonly times: Uint8Array;
  readonly weight: number;
}

/** Adds a group's calls to the mass of their bins, with their users' weights. */
export function addMass(
  mass: Float64Array,
  { places, counts, offsets }: IndexedGroup,
  { times, weight }: UserWeights,
): void {
  for (let user = 0; user < times.length; user++) {
    const userWeight = times[user]! * weight;
    const end = offsets[user + 1]!;
    for (let i = offsets[user]!; i < end; i++) mass[places[i]!]! += userWeight * counts[i]!;
  }
}

/** Finds the first point with the given share, above 0 and up to 1, of all mass at or below it. */
export function locate(mass: Float64Array, share: number): Position {
  const target = share * mass.reduce((sum, part) => sum + part, 0);
  let [place, below] = [0, 0];
  // Ends within the array: the sums are those that made the total.
  while (below + mass[place]! < target) below += mass[place++]!;
  return { place, fraction: Math.min(1, (target - below) / mass[place]!) };
}

/** Computes the value at a position: the values of a bin lie evenly between its edges. */
export function valueAt({ edges }: IndexedBins, { place, fraction }: Position): number {
  const [low, high] = edges[place]!;
  return low + fraction * (high - low);
}

/** Computes S − share · D of every user: of the D calls, those at or below the position beyond the share that is expected. */
export function quantileScores(
  { places, counts, offsets, bins }: IndexedGroup,
  position: Position,
  share: number,
): Float64Array {
  // A table by place: this is the inner loop of the bootstrap.
  const weightAt = new Float64Array(bins).map(
    (_, place) => (place < position.place ? 1 : place === position.place ? position.fraction : 0) - share,
  );
  const scores = new Float64Array(offsets.length - 1);
  for (let user = 0; user < scores.length; user++) {
    let score = 0;
    const end = offsets[user + 1]!;
    for (let i = offsets[user]!; i < end; i++) score += counts[i]! * weightAt[places[i]!]!;
    scores[user] = score;
  }
  return scores;
}
