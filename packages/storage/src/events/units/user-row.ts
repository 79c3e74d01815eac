import { type NumberList, numberList, type RowBinaryReader } from "../engine/row-binary.ts";

/** What an outcome is told by, as a bit of its number in `kinds`. */
export const KIND = { repeated: 1, named: 2, call: 4 } as const;
/** What a row is told by, as a bit of `flags`. */
export const FLAG = { exposed: 1, test: 2, testUser: 4, contaminated: 8, open: 16 } as const;

/** A user's first exposure. */
export interface FirstExposure {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly eventId: string;
  readonly arm: string;
  /** The arm as outcomes name it: a hash. */
  readonly armKey: number;
  readonly isTest: boolean;
}

/** Events of a user, as `usersQuery` returns them. */
export interface UserRow {
  hash: bigint;
  /** Empty unless the query asked for it. */
  userId: string;
  isTestUser: boolean;
  /** Whether the events were received too late for the state that the analysis stores. */
  isOpen: boolean;
  first: FirstExposure | null;
  /** Whether the exposures among them name several variants. */
  isContaminated: boolean;
  /** These have an item for each outcome: the bits of `KIND`, a hash of the variant, and epoch milliseconds. */
  kinds: Uint8Array;
  readonly variantKeys: NumberList;
  readonly ats: NumberList;
  /** The values by source; NaN: none. */
  readonly found: readonly NumberList[];
}

/** Returns a function that reads the next row of `usersQuery`. It returns one object again and again. */
export function userRowReader(sources: number): (rows: RowBinaryReader) => UserRow {
  const row: UserRow = {
    ...{ hash: 0n, userId: "", isTestUser: false, isOpen: false, first: null, isContaminated: false },
    ...{ kinds: new Uint8Array(), variantKeys: numberList(), ats: numberList() },
    found: Array.from({ length: sources }, () => numberList()),
  };
  return (rows) => {
    row.hash = rows.uint64();
    row.userId = rows.string();
    const flags = rows.uint8();
    row.isTestUser = (flags & FLAG.testUser) !== 0;
    row.isOpen = (flags & FLAG.open) !== 0;
    row.isContaminated = (flags & FLAG.contaminated) !== 0;
    const exposure = {
      at: rows.float64(),
      eventId: rows.string(),
      arm: rows.string(),
      armKey: rows.float64(),
      isTest: (flags & FLAG.test) !== 0,
    };
    row.first = (flags & FLAG.exposed) === 0 ? null : exposure;
    row.kinds = rows.uint8s();
    rows.float64s(row.variantKeys);
    rows.float64s(row.ats);
    for (const list of row.found) rows.float64s(list);
    return row;
  };
}
