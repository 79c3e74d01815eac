import { DAY_MS } from "@assay/domain";
import { type NumberList, numberList, push, type RowBinaryReader } from "../engine/row-binary.ts";
import type { QueryColumns, ValuesColumn } from "./metric-columns.ts";
import { FLAG, KIND } from "./users-query.ts";

const HEAVY_CALLS_PER_DAY = 1_000;

/** A user of an experiment, and what became of the user's outcomes. */
export interface AnalyzedUser {
  hash: bigint;
  /** Empty unless the query asked for it. */
  userId: string;
  arm: string;
  /** The first exposure, epoch milliseconds. */
  t0: number;
  isExposed: boolean;
  isTest: boolean;
  isContaminated: boolean;
  /** Exposed, and neither a test user nor contaminated: of those the metrics are made. */
  isSampled: boolean;
  isHeavy: boolean;
  /** Outcomes that count, that came before the first exposure, and that name another variant than it. */
  attributed: number;
  early: number;
  conflicting: number;
  /** The values of the outcomes that count, in each window, ascending: so they add up to the same bits in whatever order they came. */
  readonly values: readonly NumberList[];
}

/** Returns a function that reads the next row of `usersQuery`. It returns one object again and again. */
export function userReader({ sources, values }: Pick<QueryColumns, "sources" | "values">) {
  const ats = numberList();
  const found = sources.map(() => numberList());
  const user: AnalyzedUser = {
    ...{ hash: 0n, userId: "", arm: "", t0: 0, attributed: 0, early: 0, conflicting: 0 },
    ...{ isExposed: false, isTest: false, isContaminated: false, isSampled: false, isHeavy: false },
    values: values.map(() => numberList()),
  };
  return (rows: RowBinaryReader): AnalyzedUser => {
    user.hash = rows.uint64();
    user.userId = rows.string();
    user.arm = rows.string();
    user.t0 = rows.float64();
    const flags = rows.uint8();
    user.isExposed = (flags & FLAG.exposed) !== 0;
    user.isTest = (flags & FLAG.test) !== 0;
    user.isContaminated = (flags & FLAG.contaminated) !== 0;
    user.isSampled = user.isExposed && !user.isTest && !user.isContaminated;
    const kinds = rows.uint8s();
    rows.float64s(ats);
    for (const list of found) rows.float64s(list);
    attribute(user, { kinds, ats, found, windows: values });
    for (const list of user.values) sort(list);
    return user;
  };
}

interface Outcomes {
  readonly kinds: Uint8Array;
  readonly ats: NumberList;
  /** The values by source; NaN: none. */
  readonly found: readonly NumberList[];
  readonly windows: readonly ValuesColumn[];
}

/** Says what becomes of each outcome: a repeated delivery, one before the first exposure, one of another arm, or one that counts. */
function attribute(user: AnalyzedUser, { kinds, ats, found, windows }: Outcomes): void {
  let [attributed, early, conflicting, calls] = [0, 0, 0, 0];
  let [firstCallAt, lastCallAt] = [Number.POSITIVE_INFINITY, 0];
  for (const list of user.values) list.length = 0;
  for (let i = 0; i < kinds.length; i++) {
    const kind = kinds[i]!;
    if ((kind & KIND.repeated) !== 0) continue;
    const at = ats.numbers[i]!;
    if ((kind & KIND.call) !== 0) {
      calls += 1;
      if (at < firstCallAt) firstCallAt = at;
      if (at > lastCallAt) lastCallAt = at;
    }
    if (at < user.t0 || !user.isExposed) early += 1;
    else if (!user.isSampled) continue;
    else if ((kind & KIND.conflicting) !== 0) conflicting += 1;
    else {
      attributed += 1;
      for (const { source, index, windowMs } of windows) {
        const value = found[source]!.numbers[i]!;
        if (!Number.isNaN(value) && at < user.t0 + windowMs) push(user.values[index]!, value);
      }
    }
  }
  user.attributed = attributed;
  user.early = user.isTest || user.isContaminated ? 0 : early;
  user.conflicting = conflicting;
  user.isHeavy = calls / Math.max(1, (lastCallAt - firstCallAt) / DAY_MS) > HEAVY_CALLS_PER_DAY;
}

/** Below this length, insertion is faster than the engine's sort. */
const SHORT = 32;

/** Sorts a list, ascending. */
export function sort(list: NumberList): void {
  const { numbers, length } = list;
  if (length > SHORT) {
    numbers.subarray(0, length).sort();
    return;
  }
  for (let i = 1; i < length; i++) {
    const value = numbers[i]!;
    let at = i;
    for (; at > 0 && numbers[at - 1]! > value; at--) numbers[at] = numbers[at - 1]!;
    numbers[at] = value;
  }
}
