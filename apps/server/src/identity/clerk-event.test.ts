import { changeOrder, DomainError } from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseClerkEvent } from "./clerk-event.ts";

const AT = 1_760_000_000_000;
const DELIVERED = AT + 5_000;

/** As Clerk sends them, less what nobody reads. */
const user = (change: object = {}) => ({
  id: "user_1",
  object: "user",
  first_name: "Ann",
  last_name: "Lee",
  username: "ann",
  primary_email_address_id: "idn_2",
  email_addresses: [
    { id: "idn_1", email_address: "old@x.org", verification: { status: "verified" } },
    { id: "idn_2", email_address: "Ann@X.org", verification: { status: "verified", strategy: "email_code" } },
  ],
  updated_at: AT,
  ...change,
});
const membership = (change: object = {}) => ({
  id: "orgmem_1",
  object: "organization_membership",
  organization: { id: "org_1", name: "Team", updated_at: AT + 77 },
  public_user_data: { user_id: "user_1", first_name: "Ann", last_name: null, identifier: "ann@x.org" },
  role: "org:admin",
  updated_at: AT,
  ...change,
});
const parse = (type: string, data: unknown, envelope: object = {}) =>
  parseClerkEvent({ type, data, object: "event", timestamp: AT + 40, ...envelope }, DELIVERED);
const changes = (...args: Parameters<typeof parse>) => parse(...args)?.map(({ change }) => change);

describe("a user", () => {
  test("is told with the primary email and the full name", () => {
    expect(changes("user.updated", user())).toEqual([
      {
        externalId: "user_1",
        order: changeOrder(AT, "updated"),
        email: "ann@x.org",
        name: "Ann Lee",
        isDeleted: false,
      },
    ]);
  });

  const address = (more: object) => ({
    email_addresses: [{ id: "idn_2", email_address: "ann@x.org", ...more }],
  });
  test.each([
    { name: "an email without a verification", data: address({}), email: "ann@x.org" },
    {
      name: "an email whose verification is null",
      data: address({ verification: null }),
      email: "ann@x.org",
    },
    { name: "an unverified email", data: address({ verification: { status: "unverified" } }), email: null },
    { name: "an expired verification", data: address({ verification: { status: "expired" } }), email: null },
    { name: "no primary email", data: { primary_email_address_id: null }, email: null },
    { name: "a primary email that is not listed", data: { primary_email_address_id: "idn_9" }, email: null },
    { name: "no list of emails", data: { email_addresses: null }, email: null },
  ])("with $name has the email $email", ({ data, email }) => {
    expect(changes("user.created", user(data))?.[0]).toMatchObject({ email });
  });

  test.each([
    { name: "last name only", data: { first_name: null }, told: "Lee" },
    { name: "no name", data: { first_name: "", last_name: " " }, told: "ann" },
    {
      name: "no name and no user name",
      data: { first_name: null, last_name: null, username: null },
      told: "ann@x.org",
    },
    { name: "a NUL in the name", data: { first_name: "A\0nn" }, told: "Ann Lee" },
    { name: "a name without end", data: { first_name: "x".repeat(900) }, told: "x".repeat(200) },
  ])("with $name is called so", ({ data, told }) => {
    expect(changes("user.created", user(data))?.[0]).toMatchObject({ name: told });
  });

  test("that is deleted has neither", () => {
    expect(changes("user.deleted", { id: "user_1", object: "user", deleted: true })).toEqual([
      {
        externalId: "user_1",
        order: changeOrder(AT + 40, "deleted"),
        email: null,
        name: null,
        isDeleted: true,
      },
    ]);
  });
});

test("an organization is told with its name, and its deletion without", () => {
  expect(changes("organization.created", { id: "org_1", name: "Team", updated_at: AT })).toEqual([
    { externalId: "org_1", order: changeOrder(AT, "created"), name: "Team", isDeleted: false },
  ]);
  expect(changes("organization.deleted", { id: "org_1", deleted: true })).toEqual([
    { externalId: "org_1", order: changeOrder(AT + 40, "deleted"), name: null, isDeleted: true },
  ]);
});

describe("a membership", () => {
  test("mentions its org and its user, in words that any other overrides", () => {
    const words = changes("organizationMembership.created", membership());
    expect(words).toMatchObject([
      { externalId: "org_1", name: "Team", isDeleted: false },
      { externalId: "user_1", email: null, name: "Ann", isDeleted: false },
      {
        externalUserId: "user_1",
        externalOrgId: "org_1",
        order: changeOrder(AT, "created"),
        role: "admin",
        isRemoved: false,
      },
    ]);
    for (const mention of words?.slice(0, 2) ?? [])
      expect(mention.order).toBeLessThan(changeOrder(1, "token"));
  });

  test("ends at the event's time, not at its last update", () => {
    expect(changes("organizationMembership.deleted", membership())?.[2]).toMatchObject({
      order: changeOrder(AT + 40, "deleted"),
      isRemoved: true,
    });
  });

  test.each([
    ["org:admin", "admin", null],
    ["admin", "admin", null],
    ["org:owner", "owner", null],
    ["org:member", "member", null],
    ["org:billing_manager", "member", "org:billing_manager"],
    ["org:OWNER", "member", "org:OWNER"],
    ["", "member", ""],
  ])("with the role %j is one of a %s", (role, ours, unknownRole) => {
    const word = parse("organizationMembership.updated", membership({ role }))?.[2];
    expect(word).toMatchObject({ unknownRole, change: { role: ours } });
  });
});

describe("the order", () => {
  const seconds = AT / 1000;
  test.each([
    { name: "updated_at", type: "user.updated", data: { updated_at: AT }, envelope: {}, at: AT },
    {
      name: "updated_at in seconds",
      type: "user.updated",
      data: { updated_at: seconds },
      envelope: {},
      at: AT,
    },
    {
      name: "the envelope's time where there is no updated_at",
      type: "user.updated",
      data: { updated_at: null },
      envelope: {},
      at: AT + 40,
    },
    {
      name: "the envelope's time where updated_at makes no sense",
      type: "user.updated",
      data: { updated_at: 1e300 },
      envelope: {},
      at: AT + 40,
    },
    {
      name: "the delivery's time where nothing else is told",
      type: "user.updated",
      data: { updated_at: "soon" },
      envelope: { timestamp: -1 },
      at: DELIVERED,
    },
    { name: "of a deletion, the envelope's", type: "user.deleted", data: {}, envelope: {}, at: AT + 40 },
    {
      name: "of a deletion without, updated_at",
      type: "user.deleted",
      data: {},
      envelope: { timestamp: undefined },
      at: AT,
    },
  ])("is by $name", ({ type, data, envelope, at }) => {
    const kind = type === "user.deleted" ? "deleted" : "updated";
    expect(changes(type, user(data), envelope)?.[0]?.order).toBe(changeOrder(at, kind));
  });
});

test.each(["session.created", "email.created", "user.createdAtLast", "organizationInvitation.created", ""])(
  "an event of the type %j says nothing of them",
  (type) => {
    expect(parse(type, 17)).toBeNull();
  },
);

test.each([
  ["/type", null],
  ["/type", "user.created"],
  ["/type", { type: 7, data: {} }],
  ["/data", { type: "user.created" }],
  ["/data", { type: "user.created", data: [] }],
  ["/data/id", { type: "user.created", data: {} }],
  ["/data/id", { type: "user.created", data: { id: "" } }],
  ["/data/id", { type: "user.deleted", data: { id: "a\0b" } }],
  ["/data/id", { type: "organization.deleted", data: { id: "o".repeat(256) } }],
  [
    "/data/organization",
    { type: "organizationMembership.created", data: membership({ organization: null }) },
  ],
  [
    "/data/public_user_data",
    { type: "organizationMembership.created", data: membership({ public_user_data: "user_1" }) },
  ],
  ["/data/role", { type: "organizationMembership.created", data: membership({ role: null }) }],
])("a fault at %s is refused", (pointer, body) => {
  expect(() => parseClerkEvent(body, DELIVERED)).toThrow(
    expect.objectContaining({
      kind: "invalid-body",
      faults: [expect.objectContaining({ pointer })],
    }) as Error,
  );
});

test("whatever JSON comes, it is words, nothing, or a fault", () => {
  const types = ["user", "organization", "organizationMembership"].flatMap((subject) =>
    ["created", "updated", "deleted"].map((verb) => `${subject}.${verb}`),
  );
  const data = fc.oneof(fc.jsonValue(), fc.record({ id: fc.string(), updated_at: fc.double() }));
  fc.assert(
    fc.property(fc.constantFrom(...types), data, fc.jsonValue(), (type, told, timestamp) => {
      try {
        for (const { change } of parse(type, told, { timestamp }) ?? [])
          expect(Number.isSafeInteger(change.order)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(DomainError);
      }
    }),
  );
});
