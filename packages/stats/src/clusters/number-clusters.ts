/** Groups of units with numbered clusters, from 0. A cluster has the same number in all groups. */
export interface NumberedClusters {
  /** Per group, the number of each unit's cluster. */
  readonly groups: readonly Int32Array[];
  readonly count: number;
}

/** Numbers the clusters of all groups in the order of their first unit. */
export function numberClusters(groups: readonly Float64Array[]): NumberedClusters {
  const numbers = new Map<number, number>();
  const numbered = groups.map((group) => {
    const own = new Int32Array(group.length);
    for (let unit = 0; unit < group.length; unit++) {
      const known = numbers.get(group[unit]!);
      own[unit] = known ?? numbers.size;
      if (known === undefined) numbers.set(group[unit]!, numbers.size);
    }
    return own;
  });
  return { groups: numbered, count: numbers.size };
}

/** Returns the share of all units that the largest cluster has. */
export function largestClusterShare(groups: readonly Float64Array[]): number {
  const { groups: numbered, count } = numberClusters(groups);
  const sizes = new Float64Array(count);
  for (const group of numbered) for (const cluster of group) sizes[cluster]! += 1;
  const units = groups.reduce((sum, { length }) => sum + length, 0);
  return sizes.reduce((most, size) => Math.max(most, size), 0) / units;
}

/** Counts the different clusters of all groups together. */
export function countClusters(groups: readonly Float64Array[]): number {
  const clusters = new Set<number>();
  for (const group of groups) for (const cluster of group) clusters.add(cluster);
  return clusters.size;
}
