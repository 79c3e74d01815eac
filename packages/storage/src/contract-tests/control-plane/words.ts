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

/** What the identity provider says of one of two users, two orgs and their memberships. */
export type Word =
  | ({ readonly of: "user" } & UserUpdate)
  | ({ readonly of: "org" } & OrgUpdate)
  | ({ readonly of: "membership" } & MembershipUpdate);

const USERS = ["user a", "user b"];
const ORGS = ["org a", "org b"];
/** So few that many words are of one order. */
const order = fc.integer({ min: 1, max: 5 });
const told = fc.constantFrom(null, "", "Ada", "Grace");

export const wordArbitrary: fc.Arbitrary<Word> = fc.oneof(
  fc.record({
    of: fc.constant("user" as const),
    externalId: fc.constantFrom(...USERS),
    order,
    email: told,
    name: told,
    isDeleted: fc.boolean(),
  }),
  fc.record({
    of: fc.constant("org" as const),
    externalId: fc.constantFrom(...ORGS),
    order,
    name: told,
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

/** Stores the word under ids that no other test has, which `suffix` makes. */
export function putWord(
  { people }: Pick<ControlStores, "people">,
  word: Word,
  suffix: string,
): Promise<void> {
  if (word.of === "user") return people.putUser({ ...word, externalId: word.externalId + suffix }, NOW);
  if (word.of === "org") return people.putOrg({ ...word, externalId: word.externalId + suffix }, NOW);
  return people.putMembership(
    {
      ...word,
      externalUserId: word.externalUserId + suffix,
      externalOrgId: word.externalOrgId + suffix,
    },
    NOW,
  );
}

/** A membership word that is older than any other: it makes what was not told of visible, and changes nothing else. */
const OLDEST = { order: 0, role: "owner", isRemoved: false } as const;

const PAIRS = USERS.flatMap((externalUserId) =>
  ORGS.map((externalOrgId) => ({ externalUserId, externalOrgId })),
);

/** Reads what the stores hold of the words that were put under `suffix`. */
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

/** Computes that state from the words as a set: of each part the newest word counts. */
export const expectedState = (words: readonly Word[]) =>
  PAIRS.map((pair) => {
    const { externalUserId, externalOrgId } = pair;
    const ofUser = words
      .filter((word) => word.of === "user")
      .filter((word) => word.externalId === externalUserId);
    const ofOrg = words
      .filter((word) => word.of === "org")
      .filter((word) => word.externalId === externalOrgId);
    const membership = words
      .filter((word) => word.of === "membership")
      .filter((word) => word.externalUserId === externalUserId && word.externalOrgId === externalOrgId)
      .toSorted((a, b) => compare(rankOf(a), rankOf(b)))
      .at(-1);
    const isOrgDeleted = newest(ofOrg, (word) => word.isDeleted) ?? false;
    const tellOf = (part: "email" | "name") =>
      newest(ofUser, (word) => (word.isDeleted ? "" : word[part])) ?? "";
    const { role, order, isRemoved } = membership ?? OLDEST;
    return {
      ...pair,
      email: tellOf("email"),
      name: tellOf("name"),
      role,
      order,
      isRemoved,
      isUserDeleted: newest(ofUser, (word) => word.isDeleted) ?? false,
      isOrgDeleted,
      orgName: isOrgDeleted ? null : (newest(ofOrg, (word) => word.name) ?? ""),
    };
  });

/** The value of the newest word that tells one; of one order the greatest. */
function newest<W extends { readonly order: number }, T extends string | boolean>(
  words: readonly W[],
  tell: (word: W) => T | null,
): T | undefined {
  return words
    .flatMap((word) => {
      const value = tell(word);
      return value === null ? [] : [{ order: word.order, value }];
    })
    .toSorted((a, b) => compare([a.order, a.value], [b.order, b.value]))
    .at(-1)?.value;
}

/** Of one order a removal counts over a membership, and the weaker role over the stronger. */
const rankOf = ({ order, isRemoved, role }: MembershipUpdate) => [order, isRemoved, -ROLES.indexOf(role)];

function compare(
  a: readonly (number | string | boolean)[],
  b: readonly (number | string | boolean)[],
): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  if (at === -1) return 0;
  return a[at]! < b[at]! ? -1 : 1;
}
