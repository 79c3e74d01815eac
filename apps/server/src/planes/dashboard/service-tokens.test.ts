import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const NOON = Date.parse("2026-03-10T12:00:00.000Z");
const [SECOND, MINUTE, DAY] = [1_000, 60_000, 86_400_000];

interface Made {
  readonly id: string;
  readonly token: string;
  readonly prefix: string;
  readonly expires_at: string;
}
interface Listed {
  readonly id: string;
  readonly name: string;
  readonly last_used_at: string | null;
  readonly refused_because: string | null;
}
interface Audited {
  readonly action: string;
  readonly actor: { readonly id: string; readonly name: string };
  readonly summary: string;
}

let now = NOON;
let api: TestService;

beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
});
afterAll(() => api.stop());

const TOKENS = "/v1/service-tokens";
const bodyOf = (change: object = {}) => ({ name: "ci", role: "member", expires_in_days: 30, ...change });

async function make(change: object = {}, token?: string) {
  const body = bodyOf(change);
  return api.call<Made>("POST", TOKENS, token === undefined ? { body } : { body, token });
}

async function listed(id: string): Promise<Listed | undefined> {
  const { body } = await api.call<{ items: readonly Listed[] }>("GET", TOKENS);
  return body.items.find((token) => token.id === id);
}

const statusWith = async (token: string, path = "/v1/whoami") =>
  (await api.call("GET", path, { token })).status;

test("a token is shown once, stored as a hash, listed by its prefix, and signs what it does", async () => {
  const made = await make({ name: "nightly build" });
  expect(made.status).toBe(201);
  expect(made.headers.get("cache-control")).toBe("no-store");
  const { id, token, prefix, expires_at } = made.body;
  expect(token).toMatch(/^svc_st_[A-Za-z0-9_-]{43}$/);
  expect(prefix).toBe(token.slice(0, 12));
  expect(Date.parse(expires_at)).toBe(NOON + 30 * DAY);
  expect(await listed(id)).not.toHaveProperty("token");
  expect(await listed(id)).toMatchObject({ name: "nightly build", prefix, made_by: "owner@assay.local" });

  const who = await api.call("GET", "/v1/whoami", { token });
  expect(who.body).toMatchObject({
    user_id: id,
    name: "nightly build",
    role: "member",
    platform_owner: false,
  });
  for (const text of [api.logged(), JSON.stringify((await api.call("GET", "/v1/audit")).body)])
    expect(text).not.toContain(token);
  if (api.settings().databaseUrl === null)
    for (const file of ["control.sqlite", "control.sqlite-wal"])
      expect(readFileSync(join(api.dataDir, file)).includes(token)).toBe(false);
});

test("making and revoking are audited, and the audit names the token that acted", async () => {
  const { body } = await make({ name: "bot", role: "admin", expires_in_days: 365 });
  const prices = {
    model: "m",
    effective_from: "2026-01-01",
    input_usd_per_million: 1,
    output_usd_per_million: 2,
  };
  expect((await api.call("PUT", "/v1/prices", { token: body.token, body: prices })).status).toBe(200);
  expect((await api.call("DELETE", `${TOKENS}/${body.id}`)).status).toBe(204);
  const entries = (await api.call<{ items: readonly Audited[] }>("GET", "/v1/audit")).body.items;
  expect(entries.slice(0, 3)).toMatchObject([
    { action: "token.revoke", summary: `Revoked the service token bot (${body.prefix}…).`, diff: null },
    { actor: { id: body.id, name: "bot", email: "" } },
    {
      action: "token.create",
      summary: `Made the service token bot (${body.prefix}…) as admin, valid until 2027-03-10.`,
      diff: null,
    },
  ]);
});

test("the last use is recorded at most once a minute", async () => {
  const { id, token } = (await make()).body;
  expect(await listed(id)).toMatchObject({ last_used_at: null });
  const seen = async () => Date.parse((await listed(id))?.last_used_at ?? "");
  const first = now;
  await statusWith(token);
  expect(await seen()).toBe(first);
  now = first + MINUTE - SECOND;
  await statusWith(token);
  expect(await seen()).toBe(first);
  now = first + MINUTE;
  await statusWith(token);
  expect(await seen()).toBe(now);
});

test("a revoked token is refused with the next request, an expired one from its instant on", async () => {
  const [revoked, expiring] = [(await make()).body, (await make({ expires_in_days: 1 })).body];
  for (const { token } of [revoked, expiring]) expect(await statusWith(token)).toBe(200);
  await api.call("DELETE", `${TOKENS}/${revoked.id}`);
  expect(await statusWith(revoked.token)).toBe(401);
  expect(await listed(revoked.id)).toBeUndefined();
  expect((await api.call("DELETE", `${TOKENS}/${revoked.id}`)).status).toBe(404);
  now = Date.parse(expiring.expires_at) - 1;
  expect(await statusWith(expiring.token)).toBe(200);
  now += 1;
  expect(await statusWith(expiring.token)).toBe(401);
  expect(await listed(expiring.id)).toMatchObject({ refused_because: "expired" });
});

test("a token never has more rights than its maker has now", async () => {
  const admin = await api.token({ email: "leaver@team.org", role: "admin" });
  const weak = (await make({ role: "member" }, admin)).body;
  const strong = (await make({ role: "admin" }, admin)).body;
  const { user_id: leaver } = (await api.call<{ user_id: string }>("GET", "/v1/whoami", { token: admin }))
    .body;
  now += SECOND;
  await api.call("PUT", `/v1/members/${leaver}`, { body: { role: "member" } });
  expect([await statusWith(weak.token), await statusWith(strong.token)]).toEqual([200, 401]);
  expect(await listed(strong.id)).toMatchObject({ refused_because: "maker-lost-role" });
  now += SECOND;
  await api.call("DELETE", `/v1/members/${leaver}`);
  expect(await statusWith(weak.token)).toBe(401);
  expect(await listed(weak.id)).toMatchObject({ refused_because: "maker-gone" });
});

test("only a platform owner makes a token for nights, and it does nothing else of theirs", async () => {
  const nights = (await make({ runs_nights: true })).body.token;
  const plain = (await make({ role: "admin" })).body.token;
  const run = async (token: string) =>
    (await api.call("POST", "/v1/admin/pipeline-runs", { token, body: { day: "2026-03-09" } })).status;
  expect([await run(nights), await run(plain)]).toEqual([200, 403]);
  for (const path of ["/v1/admin/orgs", "/v1/admin/health", "/v1/admin/inbox"])
    expect(await statusWith(nights, path)).toBe(403);
  const admin = await api.token({ email: "admin@team.org", role: "admin" });
  expect((await make({ runs_nights: true }, admin)).status).toBe(403);
});

test.each([
  ["an owner's role", { role: "owner" }],
  ["more than a year", { expires_in_days: 366 }],
  ["no lifetime", { expires_in_days: undefined }],
  ["no name", { name: "" }],
  ["a line break in its name", { name: "ci\nadmin" }],
])("a token cannot have %s", async (_name, change) => {
  expect((await make(change)).status).toBe(400);
});

test("an org has at most 100 tokens", async () => {
  const token = await api.token({ email: "owner@many.org", org: "many" });
  const statuses: number[] = [];
  for (let count = 0; count < 101; count += 1) statuses.push((await make({}, token)).status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(100);
  expect(statuses.at(-1)).toBe(409);
});
