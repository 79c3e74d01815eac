/** What was counted of a part at both ends of a move. */
export interface MovedPart {
  readonly name: string;
  readonly source: number;
  readonly target: number;
  /** Whether the counts, and the checksums where there are some, agree. */
  readonly isEqual: boolean;
}
