/** Groups of units whose clusters are numbered from 0, the same number for one cluster in all groups. */
export interface NumberedClusters {
  /** Per group, the number of each unit's cluster. */
  readonly groups: readonly Int32Array[];
  readonly count: number;
}

/** Numbers the clusters of all groups in the order of their first unit. */
export function numberClusters(groups: readonly Float64Array[]): NumberedClusters {
  const numbers = new Map<number, number>();
  const numberOf = (cluster: number) => {
    const known = numbers.get(cluster);
    if (known !== undefined) return known;
    numbers.set(cluster, numbers.size);
    return numbers.size - 1;
  };
  return { groups: groups.map((group) => Int32Array.from(group, numberOf)), count: numbers.size };
}

/** Counts the different clusters of all groups together. */
export function countClusters(groups: readonly Float64Array[]): number {
  return numberClusters(groups).count;
}
