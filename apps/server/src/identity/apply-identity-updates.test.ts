import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { ControlPlane } from "@assay/domain";
import { openSqliteControlPlane } from "@assay/storage";
import { openPostgresControlPlane } from "@assay/storage/postgres";
import fc from "fast-check";
import { pino } from "pino";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inNight } from "../../../../tests/in-night.ts";
import { controlEngines } from "../test-support/control-engines.ts";
import { applyIdentityUpdates } from "./apply-identity-updates.ts";
import { type IdentityUpdate, parseClerkEvent } from "./clerk-event.ts";

let control: ControlPlane;
let logged = "";
const sink = new Writable({
  write(chunk, _encoding, done) {
    logged += String(chunk);
    done();
  },
});
// Ids in sequence, as the service's: entries of one millisecond are listed in the order in which they were made.
const parts = { clock: { now: () => Date.now() }, newId: () => uuidv7(), log: pino(sink) };

/** One thing that happened at Clerk, as it is delivered. */
interface Happening {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly timestamp: number;
}

const START = 1_760_000_000_000;
const USERS = ["ann", "ben"];
const ORGS = ["red", "blue"];
const ROLES = ["org:admin", "org:member", "org:owner", "org:guest"];

const change = fc.record({
  subject: fc.constantFrom("user", "organization", "organizationMembership", "organizationMembership"),
  verb: fc.constantFrom("created", "updated", "deleted"),
  user: fc.constantFrom(...USERS),
  org: fc.constantFrom(...ORGS),
  name: fc.constantFrom("One", "Two", "Three"),
  role: fc.constantFrom(...ROLES),
});
/** A history, and the deliveries of it: each happening at least once, in any order. */
const delivered = fc.array(change, { minLength: 1, maxLength: 14 }).chain((history) => {
  const all = history.map((_, index) => index);
  return fc.record({
    history: fc.constant(history),
    order: fc
      .array(fc.constantFrom(...all), { maxLength: 8 })
      .chain((again) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length })),
  });
});

/** The happenings of a history, a second apart, with ids of their own in each `world`. */
function happenings(
  history: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[],
  world: string,
): readonly Happening[] {
  return history.map(({ subject, verb, user, org, name, role }, index) => {
    const at = START + index * 1000;
    const [userId, orgId] = [`user_${user}_${world}`, `org_${org}_${world}`];
    const primary = { id: "idn_1", email_address: `${user}.${name}@x.org` };
    const data = {
      user: { id: userId, first_name: name, primary_email_address_id: "idn_1", email_addresses: [primary] },
      organization: { id: orgId, name },
      // Clerk repeats here what is true of both at that time. Both get the same text, because nothing says when it
      // became true.
      organizationMembership: {
        organization: { id: orgId, name: `Mentioned ${org}` },
        public_user_data: {
          user_id: userId,
          first_name: `Mentioned ${user}`,
          identifier: primary.email_address,
        },
        role,
      },
    }[subject];
    return { type: `${subject}.${verb}`, data: { ...data, updated_at: at }, timestamp: at };
  });
}

async function deliver({ type, data, timestamp }: Happening): Promise<readonly string[]> {
  const words = parseClerkEvent({ type, data, timestamp }, Date.now()) as readonly IdentityUpdate[];
  return applyIdentityUpdates(words, { control, ...parts });
}

/** Everything visible about the people of a world, except our own ids. */
async function endOf(world: string) {
  const names = new Map((await control.orgs.list()).map((org) => [org.externalId, org.name]));
  const members = [];
  for (const org of ORGS) {
    for (const user of USERS) {
      const named = { externalUserId: `user_${user}_${world}`, externalOrgId: `org_${org}_${world}` };
      const access = await control.people.findAccess(named);
      const { orgId: _org, userId: _user, ...told } = access ?? { orgId: "", userId: "" };
      members.push({ org, user, ...told, orgName: names.get(named.externalOrgId) });
    }
  }
  return members;
}

/** The audited changes of a membership, oldest first. */
async function syncsOf(world: string, user: string, org: string) {
  const named = { externalUserId: `user_${user}_${world}`, externalOrgId: `org_${org}_${world}` };
  const access = await control.people.findAccess(named);
  if (access === null) return { present: null, changes: [] };
  const page = await control.audit.list(access.orgId, { limit: 200, targetId: access.userId });
  const changes = page.items.map(({ diff }) => (diff as { role: { from: unknown; to: unknown } }).role);
  const isGone = access.isRemoved || access.isUserDeleted;
  return { present: isGone ? null : access.role, changes: changes.reverse() };
}

const member = (world: string) => ({
  externalUserId: `user_ann_${world}`,
  externalOrgId: `org_red_${world}`,
});
const step = {
  subject: "organizationMembership",
  user: "ann",
  org: "red",
  name: "One",
  role: "org:admin",
} as const;

describe.each(controlEngines("identity sync"))("on $engine", ({ open }) => {
  const dir = mkdtempSync(join(tmpdir(), "assay-identity-updates-"));
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const engine = await open();
    drop = engine.drop;
    control =
      engine.databaseUrl === null
        ? openSqliteControlPlane({ file: join(dir, "control.sqlite"), newId: randomUUID })
        : openPostgresControlPlane({ url: engine.databaseUrl, newId: randomUUID });
    await control.migrate();
  });
  afterAll(async () => {
    await control.close();
    await drop();
    rmSync(dir, { recursive: true });
  });

  describe("deliveries in any order, any number of times", () => {
    test("end where the history ended, with an audit entry for each step", async () => {
      await fc.assert(
        fc.asyncProperty(delivered, async ({ history, order }) => {
          const [straight, shuffled] = [randomUUID(), randomUUID()];
          for (const happening of happenings(history, straight)) await deliver(happening);
          const mixed = happenings(history, shuffled);
          for (const index of order) await deliver(mixed[index] as Happening);
          expect(await endOf(shuffled)).toEqual(await endOf(straight));
          for (const user of USERS) {
            for (const org of ORGS) {
              const { present, changes } = await syncsOf(shuffled, user, org);
              const chain = changes.reduce(
                (before, { from, to }) => (from === before && to !== from ? to : "broken"),
                null as unknown,
              );
              expect(chain).toBe(present);
            }
          }
        }),
        { numRuns: inNight(15, 60) },
      );
    });
  });

  describe("one after another", () => {
    test("a membership before its user and org is filled by them, however old they are", async () => {
      const world = randomUUID();
      const history = [
        { ...step, subject: "user", verb: "created" },
        { ...step, subject: "organization", verb: "created" },
        { ...step, verb: "created" },
      ] as const;
      const [user, org, membership] = happenings(history, world) as [Happening, Happening, Happening];
      await deliver(membership);
      expect(await control.people.findAccess(member(world))).toMatchObject({
        name: "Mentioned ann",
        email: "",
      });
      await deliver(user);
      await deliver(org);
      expect(await control.people.findAccess(member(world))).toMatchObject({
        name: "One",
        email: "ann.one@x.org",
        role: "admin",
      });
      expect((await endOf(world))[0]).toMatchObject({ orgName: "One" });
    });

    test("a deletion before the creation stays a deletion, and nobody was ever added", async () => {
      const world = randomUUID();
      const [created, deleted] = happenings(
        [
          { ...step, verb: "created" },
          { ...step, verb: "deleted" },
        ],
        world,
      );
      await deliver(deleted as Happening);
      await deliver(created as Happening);
      expect(await control.people.findAccess(member(world))).toMatchObject({ isRemoved: true });
      expect(await syncsOf(world, "ann", "red")).toEqual({ present: null, changes: [] });
    });

    test("the deletion of an org tells its id, once", async () => {
      const world = randomUUID();
      const [created, deleted] = happenings(
        [
          { ...step, verb: "created" },
          { ...step, subject: "organization", verb: "deleted" },
        ],
        world,
      ) as [Happening, Happening];
      await deliver(created);
      const orgId = (await control.people.findAccess(member(world)))?.orgId;
      expect(await deliver(deleted)).toEqual([orgId]);
      expect(await deliver(deleted)).toEqual([]);
    });

    test("an unknown role gives a member's rights, and is logged", async () => {
      const world = randomUUID();
      const [event] = happenings([{ ...step, verb: "created", role: "org:billing" }], world);
      await deliver(event as Happening);
      expect(await control.people.findAccess(member(world))).toMatchObject({ role: "member" });
      expect(logged).toContain("org:billing");
    });

    test("at once, many deliveries of one event are one change and one entry in the audit", async () => {
      for (let round = 0; round < 10; round++) {
        const world = randomUUID();
        const [created] = happenings([{ ...step, verb: "created" }], world) as [Happening];
        await Promise.all(Array.from({ length: 6 }, () => deliver(created)));
        expect(await syncsOf(world, "ann", "red")).toEqual({
          present: "admin",
          changes: [{ from: null, to: "admin" }],
        });
      }
    });

    test("of a user's deletion is audited once in each org", async () => {
      for (let round = 0; round < 10; round++) {
        const world = randomUUID();
        const [created, deleted] = happenings(
          [
            { ...step, verb: "created" },
            { ...step, subject: "user", verb: "deleted" },
          ],
          world,
        ) as [Happening, Happening];
        await deliver(created);
        await Promise.all(Array.from({ length: 6 }, () => deliver(deleted)));
        expect(await syncsOf(world, "ann", "red")).toEqual({
          present: null,
          changes: [
            { from: null, to: "admin" },
            { from: "admin", to: null },
          ],
        });
      }
    });
  });
});
