import { fineBinEdges } from "../histogram.ts";

/** The calls of one arm's users: user i owns the entries from `offsets[i]` to `offsets[i + 1]`, ascending fine bins. */
export interface ClusterBins {
  readonly bins: Int32Array;
  readonly counts: Uint32Array;
  /** One entry more than there are users. */
  readonly offsets: Uint32Array;
}

/** Counts the users of an arm. */
export function binUsers({ offsets }: ClusterBins): number {
  return offsets.length - 1;
}

/** Several groups of users that share one list of bins; a bin is a place in that list. */
export interface IndexedBins {
  /** The edges of every bin that occurs, ascending. */
  readonly edges: readonly (readonly [low: number, high: number])[];
  readonly groups: readonly IndexedGroup[];
}

export interface IndexedGroup extends Omit<ClusterBins, "bins"> {
  readonly places: Int32Array;
  /** The number of places. */
  readonly bins: number;
}

/** Numbers the fine bins that occur in any of the groups. */
export function indexBins(groups: readonly ClusterBins[]): IndexedBins {
  // Uses indexes, because iterators and callbacks take five times as long, and this visits each bin of each user.
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { bins } of groups)
    for (let i = 0; i < bins.length; i++) {
      const bin = bins[i]!;
      if (bin < lowest) lowest = bin;
      if (bin > highest) highest = bin;
    }
  // An array is faster than a set and a map, and small enough because bins are close together.
  const placeOf = new Int32Array(Math.max(0, highest - lowest + 1));
  for (const { bins } of groups) for (let i = 0; i < bins.length; i++) placeOf[bins[i]! - lowest] = 1;
  const ascending: number[] = [];
  for (let i = 0; i < placeOf.length; i++) if (placeOf[i] === 1) placeOf[i] = ascending.push(lowest + i) - 1;
  const placesOf = (bins: Int32Array) => {
    const places = new Int32Array(bins.length);
    for (let i = 0; i < bins.length; i++) places[i] = placeOf[bins[i]! - lowest]!;
    return places;
  };
  return {
    edges: ascending.map(fineBinEdges),
    groups: groups.map(({ bins, counts, offsets }) => ({
      places: placesOf(bins),
      bins: ascending.length,
      counts,
      offsets,
    })),
  };
}

/** A point of a binned distribution. All bins before `place`, and `fraction` of the bin at `place`, are at or below it. */
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
  // Ends within the array, because the same sums made the total.
  while (below + mass[place]! < target) below += mass[place++]!;
  return { place, fraction: Math.min(1, (target - below) / mass[place]!) };
}

/** Computes the value at a position, assuming that a bin's values are spread evenly between its edges. */
export function valueAt({ edges }: IndexedBins, { place, fraction }: Position): number {
  const [low, high] = edges[place]!;
  return low + fraction * (high - low);
}

/** Computes every user's score S − share · D: the calls S at or below the position minus the expected share of the D calls. */
export function quantileScores(
  { places, counts, offsets, bins }: IndexedGroup,
  position: Position,
  share: number,
): Float64Array {
  // Uses a table by place, because this is the inner loop of the bootstrap.
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
