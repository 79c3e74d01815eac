/**
 * The name of a file in the folder: `spill-…` waits, `claim-…` is being sent by the process that `claimant`
 * names, and a file that ends in `.tmp` is unfinished. `origin` is `<pid>-<start>-<n>`, unique to the file.
 */
export interface SpillName {
  readonly name: string;
  readonly claimant: string | null;
  readonly isWhole: boolean;
  readonly origin: string;
}

/** Parses a file name; null when the file does not belong to the key with this hash. */
export function parseSpillName(name: string, keyHash: string): SpillName | null {
  const match = /^(?:spill|claim)-([0-9a-f]{16})-(\d+-\d+-)?(\d+-\d+-\d+)\.ndjson(\.tmp)?$/.exec(name);
  if (match === null || match[1] !== keyHash) return null;
  const isClaim = name.startsWith("claim");
  if (isClaim !== (match[2] !== undefined)) return null;
  const claimant = isClaim ? match[2]!.slice(0, -1) : null;
  return { name, claimant, isWhole: match[4] === undefined, origin: match[3]! };
}

/** Orders names by the start time of their process, then in the order of writing. */
export function compareAge(a: SpillName, b: SpillName): number {
  const [, startA, nA] = a.origin.split("-").map(Number);
  const [, startB, nB] = b.origin.split("-").map(Number);
  return startA! - startB! || nA! - nB!;
}
