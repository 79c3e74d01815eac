import type { RowBinaryReader } from "../engine/row-binary.ts";
import type { StateReader } from "../units/unit-states.ts";
import { isOfPart, type Part } from "./parts.ts";

interface Hashed {
  readonly hash: bigint;
}

/** A part's rows, in the order of their hashes, and the stored units. */
export interface MergeParts<U extends Hashed, R extends Hashed> {
  readonly rows: RowBinaryReader;
  /** Reads the next row; it may return one object again and again. */
  readonly read: (rows: RowBinaryReader) => R;
  readonly stored: StateReader<U> | null;
  readonly part: Part;
}

/** Goes through rows and stored units together, unit by unit. */
export interface MergedRows<U, R> {
  /** Goes to the next unit: its hash, and what is stored of it; null after the last one. */
  nextUnit(): Promise<{ readonly hash: bigint; readonly known: U | null } | null>;
  /** Returns the unit's next row; null after the last one. */
  nextRow(): R | null;
}

/** Merges a part's rows with the stored units, in the order of their hashes. */
export function mergedRows<U extends Hashed, R extends Hashed>({
  rows,
  read,
  stored,
  part,
}: MergeParts<U, R>): MergedRows<U, R> {
  let row: R | null = null;
  let isTaken = true;
  let current: bigint | null = null;
  const peek = () => {
    if (isTaken) row = rows.isAtEnd() ? null : read(rows);
    isTaken = false;
    return row;
  };
  return {
    async nextUnit() {
      if (stored?.next === null) await stored.fill();
      const next = peek();
      const first = stored?.next ?? null;
      const own = first !== null && isOfPart(first.hash, part) ? first : null;
      if (next === null && own === null) return null;
      const isKnown = own !== null && (next === null || own.hash <= next.hash);
      current = isKnown ? own.hash : next!.hash;
      if (isKnown) stored!.take();
      return { hash: current, known: isKnown ? own : null };
    },
    nextRow() {
      const next = peek();
      if (next === null || next.hash !== current) return null;
      isTaken = true;
      return next;
    },
  };
}
