import type { RowBinaryReader } from "../engine/row-binary.ts";
import { addRow, copyOf, newUnit, type Unit, type Window } from "../units/unit.ts";
import type { StateReader } from "../units/unit-states.ts";
import { userRowReader } from "../units/user-row.ts";
import { isOfPart, type Part } from "./parts.ts";

/** Units that are in memory at once; between two batches other work of this process gets its turn. */
const UNITS_PER_BATCH = 1_024;

/** A unit with its stored state and its rows added up. */
export interface MergedUnit {
  readonly hash: bigint;
  /** Without the events that are open; null if it has no others. */
  readonly closed: Unit | null;
  /** With them: the same object, unless the unit has open events. */
  readonly whole: Unit | null;
  /** Whether its events must be read again to tell what they are (`addRow`). */
  readonly isStale: boolean;
}

/** What batches are made of. */
export interface BatchParts {
  /** Rows of `usersQuery`, a user's open ones after the others. */
  readonly rows: RowBinaryReader;
  readonly sources: number;
  readonly windows: readonly Window[];
  readonly stored: StateReader<Unit> | null;
  readonly part: Part;
}

/** Merges a part's rows with the stored units, in the order of their hashes. */
export async function* unitBatches({
  rows,
  sources,
  windows,
  stored,
  part,
}: BatchParts): AsyncGenerator<readonly MergedUnit[]> {
  const read = userRowReader(sources);
  const nextRow = () => (rows.isAtEnd() ? null : read(rows));
  let row = nextRow();
  let batch: MergedUnit[] = [];
  for (;;) {
    if (stored?.next === null) await stored.fill();
    const known = stored?.next ?? null;
    const knownHash = known !== null && isOfPart(known.hash, part) ? known.hash : null;
    if (row === null && knownHash === null) break;
    const hash = row === null || (knownHash !== null && knownHash < row.hash) ? knownHash! : row.hash;
    let closed: Unit | null = null;
    if (knownHash === hash) {
      closed = known;
      stored!.take();
    }
    let whole: Unit | null = null;
    let isStale = false;
    for (; row !== null && row.hash === hash; row = nextRow()) {
      if (row.isOpen) whole = closed === null ? newUnit(row, windows) : copyOf(closed);
      else closed ??= newUnit(row, windows);
      if (!addRow(row.isOpen ? whole! : closed!, row, windows)) isStale = true;
    }
    batch.push({ hash, closed, whole: whole ?? closed, isStale });
    if (batch.length < UNITS_PER_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
