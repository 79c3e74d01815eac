/** Row counts of a part at both ends of a move. */
export interface MovedPart {
  readonly name: string;
  readonly source: number;
  readonly target: number;
  /** Whether the counts agree, and the checksums if there are any. */
  readonly isEqual: boolean;
}
