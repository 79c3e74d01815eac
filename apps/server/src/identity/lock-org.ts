import { type ControlStores, changeOrder } from "@assay/domain";
import type { Deps } from "../deps.ts";

/**
 * Locks an org before its memberships change, so that the second of two concurrent changes sees the first one's
 * changes. It locks by an update that is older than any other and so changes nothing. This also locks a deleted org.
 */
export async function lockOrg(
  externalId: string,
  { people }: Pick<ControlStores, "people">,
  { clock }: Pick<Deps, "clock">,
): Promise<void> {
  const order = changeOrder(0, "token");
  await people.putOrg({ externalId, order, name: null, isDeleted: false }, clock.now());
}
