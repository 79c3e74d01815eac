import { TOKEN_COLUMNS } from "../sql/call-cost-sql.ts";

/** An experiment's events that occurred on one day and were received on one day, both UTC midnights in epoch milliseconds. */
export interface LoggedEvents {
  readonly occurredOn: number;
  readonly receivedOn: number;
  readonly events: number;
  /** Sum of the events' times in epoch milliseconds, modulo 2^64. It changes when an event comes or goes. */
  readonly occurredSum: bigint;
  readonly receivedSum: bigint;
  /** The earliest time of occurrence, epoch milliseconds. */
  readonly firstAt: number;
  /** The properties that any of them has, as bits of `tokenMark` and `LOG_MARK`. */
  readonly marks: number;
}

/** The bit that says that an event has a value in one of `TOKEN_COLUMNS`. */
export const tokenMark = (column: string): number => 2 ** TOKEN_COLUMNS.indexOf(column);

/** Other properties of logged events, as bits. */
export const LOG_MARK = {
  /** Stands for others, too. */
  sampled: 2 ** TOKEN_COLUMNS.length,
  /** An exposure to a variant. */
  exposure: 2 ** (TOKEN_COLUMNS.length + 1),
  /** A call whose cost is computed from its tokens. */
  byTokens: 2 ** (TOKEN_COLUMNS.length + 2),
} as const;

/** Returns whether any of the events has the property of a bit. */
export function hasMark(logged: readonly Pick<LoggedEvents, "marks">[], mark: number): boolean {
  return logged.some(({ marks }) => (marks & mark) !== 0);
}

/** What a part has, by experiment. */
export type PartContents = ReadonlyMap<string, readonly LoggedEvents[]>;
