import { TOKEN_COLUMNS } from "../sql/call-cost-sql.ts";

/** The events of an experiment that occurred on one day and were received on one, both as UTC midnights in epoch milliseconds. */
export interface LoggedEvents {
  readonly occurredOn: number;
  readonly receivedOn: number;
  readonly events: number;
  /** Sums of their times in epoch milliseconds, modulo 2^64: they differ once an event comes or goes. */
  readonly occurredSum: bigint;
  readonly receivedSum: bigint;
  /** When the first of them occurred, epoch milliseconds. */
  readonly firstAt: number;
  /** What any of them is, as bits of `tokenMark` and `LOG_MARK`. */
  readonly marks: number;
}

/** The bit that says that an event has a value in one of `TOKEN_COLUMNS`. */
export const tokenMark = (column: string): number => 2 ** TOKEN_COLUMNS.indexOf(column);

/** What else events of a log may be, as bits. */
export const LOG_MARK = {
  /** Stands for others, too. */
  sampled: 2 ** TOKEN_COLUMNS.length,
  /** An exposure to a variant. */
  exposure: 2 ** (TOKEN_COLUMNS.length + 1),
  /** A call whose cost is told by its tokens. */
  byTokens: 2 ** (TOKEN_COLUMNS.length + 2),
} as const;

/** Returns whether any of the events is what a bit says. */
export function hasMark(logged: readonly Pick<LoggedEvents, "marks">[], mark: number): boolean {
  return logged.some(({ marks }) => (marks & mark) !== 0);
}

/** What a part has, by experiment. */
export type PartContents = ReadonlyMap<string, readonly LoggedEvents[]>;
