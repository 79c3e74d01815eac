import type { UnitSource } from "../units/unit-states.ts";
import type { EventRows, UserEvents } from "./event-rows.ts";
import { isOfPart, type Part } from "./parts.ts";

/** A unit: its stored state, and its events that are not part of that state. */
export interface KnownAndNew<U> {
  readonly hash: bigint;
  readonly known: U | null;
  /** Whether the known unit changed since the last complete state. */
  readonly isKnownChanged: boolean;
  readonly found: UserEvents | null;
}

/**
 * Units in memory at once. Between two batches, other work of this process gets its turn. A unit leaves some 10 KB of garbage, and the
 * collector copies everything still in use; a batch of 1,024 would fill its young generation.
 */
const UNITS_PER_BATCH = 128;

/** Merges a part's rows with the stored units, in batches, in the order of their hashes. */
export async function* mergedUnits<U extends { readonly hash: bigint }>({
  rows,
  stored,
  part,
}: {
  readonly rows: EventRows;
  readonly stored: UnitSource<U> | null;
  readonly part: Part;
}): AsyncGenerator<readonly KnownAndNew<U>[]> {
  const users = rows.users();
  const nextUser = () => users.next().value ?? null;
  let found = nextUser();
  let batch: KnownAndNew<U>[] = [];
  for (;;) {
    if (stored?.next === null) await stored.fill();
    const next = stored?.next ?? null;
    const known = next !== null && isOfPart(next.hash, part) ? next : null;
    if (known === null && found === null) break;
    const isKnown = known !== null && (found === null || known.hash <= found.hash);
    const isFound = found !== null && (known === null || found.hash <= known.hash);
    batch.push({
      hash: isKnown ? known.hash : found!.hash,
      known: isKnown ? known : null,
      isKnownChanged: isKnown && stored!.isNextChanged,
      found: isFound ? found : null,
    });
    if (isKnown) stored!.take();
    if (isFound) found = nextUser();
    if (batch.length < UNITS_PER_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
