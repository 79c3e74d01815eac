import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { changeOrder, type Plan } from "@assay/domain";
import { openSqliteControlPlane } from "@assay/storage";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createOrgPlans } from "../plans/org-plans.ts";
import { DEFAULT_CLAIMS, type ProviderSettings } from "../settings/identity-settings.ts";
import { noChanges } from "../test-support/change-feeds.ts";
import { type ClerkApi, openClerkApi } from "../test-support/clerk-api.ts";
import { createSeatCaps } from "./clerk-seat-caps.ts";

const dir = mkdtempSync(join(tmpdir(), "assay-seat-caps-"));
const control = openSqliteControlPlane({ file: join(dir, "control.sqlite"), newId: randomUUID });
const clock = { now: () => Date.now() };
const ids = new Map<string, string>();
let clerk: ClerkApi;
let logged = "";
const log = pino(
  new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  }),
);

beforeAll(async () => {
  await control.migrate();
  for (const org of ["org_a", "org_b", "org/c"]) {
    const member = { externalOrgId: org, externalUserId: "user_1" };
    await control.people.putMembership(
      { ...member, order: changeOrder(1, "created"), role: "owner", isRemoved: false },
      1,
    );
    ids.set(org, (await control.people.findAccess(member))?.orgId ?? "");
  }
});
afterAll(async () => {
  await control.close();
  rmSync(dir, { recursive: true });
});
beforeEach(async () => {
  logged = "";
  for (const id of ids.values()) await control.plans.putOverride(id, null);
  clerk = await openClerkApi(["org_a", "org_b", "org/c"]);
  return () => clerk.close();
});

const idOf = (org: string) => ids.get(org) ?? "";
const pin = (org: string, plan: Plan) => control.plans.putOverride(idOf(org), plan);
function seatCaps(change: Partial<ProviderSettings> = {}, isEnforced = true) {
  const settings: ProviderSettings = {
    kind: "clerk",
    issuer: "https://clerk.example",
    audience: "assay",
    jwksUrl: "https://clerk.example/jwks",
    claims: DEFAULT_CLAIMS,
    client: null,
    webhookSecret: null,
    api: clerk.settings,
    ...change,
  };
  return createSeatCaps(settings, {
    control,
    plans: createOrgPlans({ control, clock, changes: noChanges }, isEnforced),
    log,
  });
}

describe("a resync", () => {
  test("pushes the cap of every org's plan to Clerk, 0 for unlimited, and may be repeated", async () => {
    await pin("org_a", "pro");
    await pin("org/c", "business");
    for (let time = 0; time < 2; time++) {
      const pushes = await seatCaps().resync();
      expect(new Map(pushes.map(({ orgId, seats }) => [orgId, seats]))).toEqual(
        new Map([
          [idOf("org_a"), 100],
          [idOf("org_b"), 5],
          [idOf("org/c"), null],
        ]),
      );
      expect(pushes.map(({ fault }) => fault)).toEqual([null, null, null]);
      expect(Object.fromEntries(clerk.caps)).toEqual({ org_a: 100, org_b: 5, "org/c": 0 });
    }
  });

  test("lifts every cap where plan limits are not enforced", async () => {
    await seatCaps({}, false).resync();
    expect([...clerk.caps.values()]).toEqual([0, 0, 0]);
  });

  test("goes on after an org that Clerk does not know", async () => {
    clerk.caps.delete("org_b");
    const pushes = await seatCaps().resync();
    expect(pushes.find(({ orgId }) => orgId === idOf("org_b"))?.fault).toBe(
      "Clerk answered 404 (resource_not_found).",
    );
    expect(pushes.filter(({ fault }) => fault === null)).toHaveLength(2);
  });

  test("tells nobody without an API key", async () => {
    const caps = seatCaps({ api: null });
    expect(caps.isPushed).toBe(false);
    expect(await caps.resync()).toEqual([]);
    await caps.push(idOf("org_a"));
    expect(clerk.asked).toEqual([]);
  });
});

describe("a push", () => {
  test("reads the plan anew, whatever was read a moment ago", async () => {
    const caps = seatCaps();
    await caps.push(idOf("org_a"));
    await pin("org_a", "pro");
    await caps.push(idOf("org_a"));
    expect(clerk.caps.get("org_a")).toBe(100);
    expect(clerk.asked).toEqual(["org_a", "org_a"]);
  });

  test("of the newest plan arrives last, also when an earlier one is held up", async () => {
    const caps = seatCaps();
    clerk.fail({ status: 429, headers: { "retry-after": "0.2" } });
    const first = caps.push(idOf("org_a"));
    await expect.poll(() => clerk.asked).toEqual(["org_a"]);
    await pin("org_a", "pro");
    await Promise.all([first, caps.push(idOf("org_a"))]);
    expect(clerk.caps.get("org_a")).toBe(100);
  });

  test("is tried once more after a 429, and not for ever", async () => {
    clerk.fail({ status: 429, headers: { "retry-after": "0" } }, { status: 429 });
    await seatCaps().push(idOf("org_a"));
    expect(clerk.asked).toHaveLength(2);
    expect(logged).toContain("Clerk answered 429");
  });

  test("that fails is logged without the key, and does not reject", async () => {
    await seatCaps({ api: { ...clerk.settings, key: "sk_wrong" } }).push(idOf("org_a"));
    expect(logged).toContain("Clerk answered 401 (authorization_invalid).");
    expect(logged).not.toContain("sk_wrong");
  });

  test("does not reject when Clerk cannot be reached", async () => {
    await clerk.close();
    await seatCaps().push(idOf("org_a"));
    expect(logged).toContain("Clerk cannot be reached.");
  });

  test("of an org that is gone tells nothing", async () => {
    await seatCaps().push(randomUUID());
    expect([clerk.asked, logged]).toEqual([[], ""]);
  });
});
