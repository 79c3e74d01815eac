import {
  type ControlPlane,
  type ControlStores,
  type MembershipUpdate,
  type OrgUpdate,
  ROLES,
  type UserUpdate,
} from "@assay/domain";
import fc from "fast-check";
import { NOW } from "./fixtures.ts";

/** Generates an update of one of two users, two orgs or their memberships. */
export type IdentityUpdate =
  | ({ readonly of: "user" } & UserUpdate)
  | ({ readonly of: "org" } & OrgUpdate)
  | ({ readonly of: "membership" } & MembershipUpdate);

const USERS = ["user a", "user b"];
const ORGS = ["org a", "org b"];
/** So few that many updates share an order. */
const order = fc.integer({ min: 1, max: 5 });
const part = fc.constantFrom(null, "", "Ada", "Grace");

export const updateArbitrary: fc.Arbitrary<IdentityUpdate> = fc.oneof(
  fc.record({
    of: fc.constant("user" as const),
    externalId: fc.constantFrom(...USERS),
    order,
    email: part,
    name: part,
    isDeleted: fc.boolean(),
  }),
  fc.record({
    of: fc.constant("org" as const),
    externalId: fc.constantFrom(...ORGS),
    order,
    name: part,
    isDeleted: fc.boolean(),
  }),
  fc.record({
    of: fc.constant("membership" as const),
    externalUserId: fc.constantFrom(...USERS),
    externalOrgId: fc.constantFrom(...ORGS),
    order,
    role: fc.constantFrom(...ROLES),
    isRemoved: fc.boolean(),
  }),
);

/** Applies the update; `suffix` makes its ids unique to one test. */
export function applyUpdate(
  { people }: Pick<ControlStores, "people">,
  update: IdentityUpdate,
  suffix: string,
): Promise<void> {
  if (update.of === "user") return people.putUser({ ...update, externalId: update.externalId + suffix }, NOW);
  if (update.of === "org") return people.putOrg({ ...update, externalId: update.externalId + suffix }, NOW);
  return people.putMembership(
    {
      ...update,
      externalUserId: update.externalUserId + suffix,
      externalOrgId: update.externalOrgId + suffix,
    },
    NOW,
  );
}

/** A membership update older than any other: it creates missing rows so that they can be read, and changes nothing else. */
const OLDEST = { order: 0, role: "owner", isRemoved: false } as const;

const PAIRS = USERS.flatMap((externalUserId) =>
  ORGS.map((externalOrgId) => ({ externalUserId, externalOrgId })),
);

/** Reads the state after the updates that were applied under `suffix`. */
export async function readState({ people, orgs }: ControlPlane, suffix: string) {
  const memberships = [];
  for (const pair of PAIRS) {
    const member = {
      externalUserId: pair.externalUserId + suffix,
      externalOrgId: pair.externalOrgId + suffix,
    };
    await people.putMembership({ ...member, ...OLDEST }, NOW);
    const access = await people.findAccess(member);
    const org = access && (await orgs.find(access.orgId));
    const { orgId: _, userId: __, hasSeat: ___, ...state } = access!;
    memberships.push({ ...pair, ...state, orgName: org?.name ?? null });
  }
  return memberships;
}

/** Computes that state from the set of updates: the latest value of each part counts. */
export const expectedState = (updates: readonly IdentityUpdate[]) =>
  PAIRS.map((pair) => {
    const { externalUserId, externalOrgId } = pair;
    const ofUser = updates
      .filter((update) => update.of === "user")
      .filter((update) => update.externalId === externalUserId);
    const ofOrg = updates
      .filter((update) => update.of === "org")
      .filter((update) => update.externalId === externalOrgId);
    const membership = updates
      .filter((update) => update.of === "membership")
      .filter((update) => update.externalUserId === externalUserId && update.externalOrgId === externalOrgId)
      .toSorted((a, b) => compare(rankOf(a), rankOf(b)))
      .at(-1);
    const isOrgDeleted = newest(ofOrg, (update) => update.isDeleted) ?? false;
    const latestOf = (part: "email" | "name") =>
      newest(ofUser, (update) => (update.isDeleted ? "" : update[part])) ?? "";
    const { role, order, isRemoved } = membership ?? OLDEST;
    return {
      ...pair,
      email: latestOf("email"),
      name: latestOf("name"),
      role,
      order,
      isRemoved,
      isUserDeleted: newest(ofUser, (update) => update.isDeleted) ?? false,
      isOrgDeleted,
      requiresPasskey: false,
      orgName: isOrgDeleted ? null : (newest(ofOrg, (update) => update.name) ?? ""),
    };
  });

/** Returns the value of the latest update that has one; among updates of equal order, the greatest. */
function newest<U extends { readonly order: number }, T extends string | boolean>(
  updates: readonly U[],
  read: (update: U) => T | null,
): T | undefined {
  return updates
    .flatMap((update) => {
      const value = read(update);
      return value === null ? [] : [{ order: update.order, value }];
    })
    .toSorted((a, b) => compare([a.order, a.value], [b.order, b.value]))
    .at(-1)?.value;
}

/** Among updates of equal order, a removal wins, then the weaker role. */
const rankOf = ({ order, isRemoved, role }: MembershipUpdate) => [order, isRemoved, -ROLES.indexOf(role)];

function compare(
  a: readonly (number | string | boolean)[],
  b: readonly (number | string | boolean)[],
): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  if (at === -1) return 0;
  return a[at]! < b[at]! ? -1 : 1;
}
