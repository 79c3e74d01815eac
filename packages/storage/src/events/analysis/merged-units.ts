import type { StateReader } from "../units/unit-states.ts";
import type { EventRows, UserEvents } from "./event-rows.ts";
import { isOfPart, type Part } from "./parts.ts";

/** A unit with what is stored of it, and its events that are not in there. */
export interface KnownAndNew<U> {
  readonly hash: bigint;
  readonly known: U | null;
  readonly found: UserEvents | null;
}

/** Merges a part's rows with the stored units, in the order of their hashes. */
export async function* mergedUnits<U extends { readonly hash: bigint }>({
  rows,
  stored,
  part,
}: {
  readonly rows: EventRows;
  readonly stored: StateReader<U> | null;
  readonly part: Part;
}): AsyncGenerator<KnownAndNew<U>> {
  const users = rows.users();
  let found = users.next().value ?? null;
  for (;;) {
    if (stored?.next === null) await stored.fill();
    const next = stored?.next ?? null;
    const known = next !== null && isOfPart(next.hash, part) ? next : null;
    if (known === null && found === null) return;
    const hash = known !== null && (found === null || known.hash <= found.hash) ? known.hash : found!.hash;
    const unit = {
      hash,
      known: known?.hash === hash ? known : null,
      found: found?.hash === hash ? found : null,
    };
    if (unit.known !== null) stored!.take();
    if (unit.found !== null) found = users.next().value ?? null;
    yield unit;
  }
}
