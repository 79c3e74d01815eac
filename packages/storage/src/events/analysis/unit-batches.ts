import type { RowBinaryReader } from "../engine/row-binary.ts";
import { addRow, copyOf, newUnit, type Unit, type Window } from "../units/unit.ts";
import type { StateReader } from "../units/unit-states.ts";
import { userRowReader } from "../units/user-row.ts";
import { mergedRows } from "./merged-rows.ts";
import type { Part } from "./parts.ts";

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
  sources,
  windows,
  ...parts
}: BatchParts): AsyncGenerator<readonly MergedUnit[]> {
  const { nextUnit, nextRow } = mergedRows({ ...parts, read: userRowReader(sources) });
  let batch: MergedUnit[] = [];
  for (let unit = await nextUnit(); unit !== null; unit = await nextUnit()) {
    let closed = unit.known;
    let whole: Unit | null = null;
    let isStale = false;
    for (let row = nextRow(); row !== null; row = nextRow()) {
      if (row.isOpen) whole = closed === null ? newUnit(row, windows) : copyOf(closed);
      else closed ??= newUnit(row, windows);
      if (!addRow(row.isOpen ? whole! : closed!, row, windows)) isStale = true;
    }
    batch.push({ hash: unit.hash, closed, whole: whole ?? closed, isStale });
    if (batch.length < UNITS_PER_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
