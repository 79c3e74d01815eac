import { DomainError } from "@assay/domain";

interface Outage {
  readonly detail: string;
  readonly retryAfterSeconds: number;
}

const BUSY: Outage = {
  detail: "The database is busy with other writes. Nothing was changed; try again.",
  retryAfterSeconds: 1,
};
const FULL: Outage = {
  detail: "The disk of the database is full. Nothing was changed; free space on it or move the data.",
  retryAfterSeconds: 30,
};
const READ_ONLY: Outage = {
  detail: "The database is read-only. Nothing was changed; make it writable for the service.",
  retryAfterSeconds: 30,
};
const BROKEN_DISK: Outage = {
  detail: "The disk of the database fails to read or write. Check the disk and the system log.",
  retryAfterSeconds: 30,
};
const DAMAGED: Outage = {
  detail: "The database file is damaged. Stop the service and restore the file from a backup.",
  retryAfterSeconds: 300,
};
const UNREACHABLE: Outage = {
  detail: "The database cannot be reached. Check that it runs and that ASSAY_DATABASE_URL is its address.",
  retryAfterSeconds: 5,
};
const REFUSED: Outage = {
  detail: "The database refuses the login. Check user, password and database name in ASSAY_DATABASE_URL.",
  retryAfterSeconds: 30,
};

/**
 * By error codes of SQLite, Node's sockets and PostgreSQL (SQLSTATE, appendix A of its manual). The first match
 * applies.
 */
const OUTAGES: readonly (readonly [codes: RegExp, outage: Outage])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, BUSY],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT|53100)/, FULL],
  [/^(SQLITE_READONLY|EROFS|25006)/, READ_ONLY],
  [/^(SQLITE_IOERR|SQLITE_CANTOPEN|EIO|58030)/, BROKEN_DISK],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB|XX001|XX002)/, DAMAGED],
  // Deadlock or serialization failure, lock timeout, statement timeout, too many connections, too little memory.
  [/^(40001|40P01|55P03|57014|53...)$/, BUSY],
  [/^(28...|3D000)$/, REFUSED],
  [/^(08...|57P0.|25P03)$/, UNREACHABLE],
  [/^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH)$/, UNREACHABLE],
];

/** Messages of `pg` without a code, for a connection that was lost or not established in time. */
const LOST_CONNECTION =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Converts an outage of the engine to `storage-unavailable` with the original as its cause; returns any other error unchanged. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DomainError) return error;
  const outage = findOutage(error);
  if (!outage) return error;
  const { detail, retryAfterSeconds } = outage;
  return new DomainError("storage-unavailable", detail, { retryAfterSeconds, cause: error });
}

function findOutage(error: Error): Outage | undefined {
  const code = codeOf(error);
  const known = OUTAGES.find(([codes]) => codes.test(code));
  if (known) return known[1];
  return LOST_CONNECTION.test(error.message) ? UNREACHABLE : undefined;
}

/** Returns whether the error is a violation of one unique constraint: PostgreSQL names it, SQLite names its columns. */
export function isUniqueViolation(error: unknown, unique: { constraint: string; column: string }): boolean {
  if (!(error instanceof Error)) return false;
  if (codeOf(error) === "SQLITE_CONSTRAINT_UNIQUE") return error.message.includes(unique.column);
  return codeOf(error) === "23505" && "constraint" in error && error.constraint === unique.constraint;
}

/** Returns whether SQLite refused the statement only because another connection is writing. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && codeOf(error).startsWith("SQLITE_BUSY");

const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : "";

/** Wraps every method of `target` and of the objects in it, so that what they throw passes through `translate`. */
export function translateErrors<T extends object>(target: T, translate: (error: unknown) => unknown): T {
  return new Proxy(target, {
    get(owner, key) {
      const member: unknown = Reflect.get(owner, key);
      if (typeof member === "object" && member !== null) return translateErrors(member, translate);
      if (typeof member !== "function") return member;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        try {
          return await Reflect.apply(member, owner, args);
        } catch (error) {
          throw translate(error);
        }
      };
    },
  });
}
