import { type Clock, DomainError, monthOf, type UsageMonth } from "@assay/domain";

/** Keeps an org's events of a month within a number of distinct events, as exactly as the event store counts them. */
export interface Quota {
  /** Runs `accept` as `Allowance.spend` does; `bound` may be infinite. */
  spend<T>(request: QuotaRequest, accept: Accept<T>): Promise<T | null>;
}

export interface QuotaRequest {
  readonly orgId: string;
  readonly events: number;
  readonly bound: number;
}

/** Accepts the first `granted` rows. `exhausted` is the error for the rest, null when all are granted. */
export type Accept<T> = (granted: number, exhausted: DomainError | null) => Promise<T | null>;

/** An org's stored events of a month. Exact when everything acknowledged so far is stored. */
export interface Count {
  readonly events: number;
  readonly isExact: boolean;
}

interface QuotaDeps {
  /** Whether other processes accept events of the same orgs. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly countNow: (orgId: string, month: UsageMonth) => Promise<Count>;
  /** Makes the error for rows beyond the bound. */
  readonly exhaustedError: (month: UsageMonth, bound: number, now: number) => DomainError;
}

/**
 * One org's month in this process. Far from the limit nothing is counted: every accepted row is assumed to be new. Only
 * when that would exceed the limit does the event store count how many were.
 */
interface Book {
  readonly month: UsageMonth;
  counted: number;
  /** Rows granted since the count. Some may have been repeats, which do not count. */
  granted: number;
  /** Rows that may be granted before a recount must include what other processes accepted. */
  unasked: number;
  /** The bound at which a count found nothing left, else null. Since no more events are accepted, it stays exhausted. */
  exhaustedAt: number | null;
  /** Grants whose rows are not on disk yet. */
  readonly underWay: Set<Promise<void>>;
  /** The recount under way, for which all other requests wait. */
  turn: Promise<Count> | null;
}

/**
 * The share of the remaining rows that one process may grant between two counts. Each additional process thus exceeds the
 * allowance by at most 5% of it, plus one batch.
 */
const SHARE = 1 / 20;
/** The rows of one request. */
const SMALLEST_SHARE = 1_000;

/** The value of `unasked` before the first count: any request then needs a count. */
const UNKNOWN = Number.POSITIVE_INFINITY;

/** Makes the quota of one process. It learns what other processes accepted at each count. */
export function createQuota(deps: QuotaDeps): Quota {
  const books = new Map<string, Book>();

  function bookOf(orgId: string): Book {
    const month = monthOf(deps.clock.now());
    const known = books.get(orgId);
    if (known?.month === month) return known;
    const book: Book = {
      month,
      counted: 0,
      granted: UNKNOWN,
      unasked: Number.POSITIVE_INFINITY,
      exhaustedAt: null,
      underWay: new Set(),
      turn: null,
    };
    books.set(orgId, book);
    return book;
  }

  /**
   * Counts once the granted rows are stored; all other requests wait for this recount. A backlog makes the count
   * inexact. An org without a previous count then starts from the inexact count, or from 0 during an outage, because
   * senders that give up would lose refused events.
   */
  async function recount(orgId: string, book: Book): Promise<Count> {
    await Promise.all(book.underWay);
    const isKnown = book.granted !== UNKNOWN;
    const count = await deps.countNow(orgId, book.month).catch((error: unknown) => {
      if (isKnown) throw error;
      return { events: 0, isExact: false };
    });
    book.counted = count.isExact ? count.events : Math.max(book.counted, count.events);
    if (count.isExact || !isKnown) book.granted = 0;
    return count;
  }

  async function grant(orgId: string, events: number, bound: number): Promise<Grant> {
    for (;;) {
      const book = bookOf(orgId);
      if (book.exhaustedAt === bound) return take(book, 0);
      if (book.turn !== null) {
        await book.turn.catch(() => undefined);
        continue;
      }
      const fits = book.counted + book.granted + events <= bound;
      if (fits && book.granted + events <= book.unasked) return take(book, events);
      book.turn = recount(orgId, book).finally(() => {
        book.turn = null;
      });
      // Without an answer from the event store, accept rows that fit. A later request counts again.
      const count = fits ? await book.turn.catch(() => null) : await book.turn;
      if (deps.isShared) book.unasked = book.granted + shareOf(bound - book.counted);
      if (count === null) return take(book, events);
      const { isExact } = count;
      if (book.counted >= bound) book.exhaustedAt = bound;
      const left = Math.max(0, bound - book.counted - book.granted);
      if (!isExact && book.counted < bound && left < events) throw notCounted();
      return take(book, Math.min(events, left));
    }
  }

  return {
    async spend({ orgId, events, bound }, accept) {
      if (events === 0) return accept(events, null);
      // Counted without a bound too, because a smaller plan may follow in the same month.
      const { granted, month, landed } = await grant(orgId, events, bound);
      let isSpent = false;
      try {
        const answer = await accept(
          granted,
          granted < events ? deps.exhaustedError(month, bound, deps.clock.now()) : null,
        );
        isSpent = answer !== null;
        return answer;
      } finally {
        landed(isSpent);
      }
    },
  };
}

const shareOf = (left: number): number => Math.max(SMALLEST_SHARE, left * SHARE);

/** Rows that may be accepted; call `landed` once they are stored, or when they will not be. */
interface Grant {
  readonly granted: number;
  readonly month: UsageMonth;
  readonly landed: (isSpent: boolean) => void;
}

function take(book: Book, granted: number): Grant {
  const { promise, resolve } = Promise.withResolvers<void>();
  book.granted += granted;
  book.underWay.add(promise);
  const landed = (isSpent: boolean) => {
    // No recount can run meanwhile, so `granted` still includes these rows.
    if (!isSpent) book.granted -= granted;
    book.underWay.delete(promise);
    resolve();
  };
  return { granted, month: book.month, landed };
}

/** The error near the limit, when a backlog may or may not exceed it. */
function notCounted(): DomainError {
  return new DomainError(
    "storage-unavailable",
    "Earlier events are not all stored yet, so it is unknown how much of the month's allowance is left: try again in a few seconds.",
    { retryAfterSeconds: 5 },
  );
}
