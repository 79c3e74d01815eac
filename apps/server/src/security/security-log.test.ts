import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MAX_KEPT_BY_EVENT, MAX_KEPT_BY_NETWORK, SECURITY_EVENTS } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const DAY = 86_400_000;

interface Event {
  readonly event: string;
  readonly actor: { readonly id: string; readonly name: string } | null;
  readonly network: string | null;
  readonly route: string | null;
  readonly reason: string | null;
  readonly subject: string | null;
  readonly left_out: number;
}

let now = Date.parse("2026-03-10T12:00:00.000Z");
let api: TestService;

beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
});
afterAll(() => api.stop());

let orgs = 0;
/** Tokens of people of an org of its own. */
async function newOrg() {
  orgs += 1;
  const org = `org-${orgs}`;
  const tokenOf = (role: "owner" | "member") => api.token({ email: `${role}@${org}.org`, org, role });
  return { owner: await tokenOf("owner"), member: await tokenOf("member") };
}

const eventsOf = async (token: string): Promise<readonly Event[]> =>
  (await api.call<{ items: readonly Event[] }>("GET", "/v1/security-events", { token })).body.items;

const logged = (): readonly Readonly<Record<string, unknown>>[] =>
  api
    .logged()
    .split("\n")
    .filter((line) => line.includes('"event":"security.'))
    .map((line) => JSON.parse(line));

test("keys are reported by their first characters when they are made and shown", async () => {
  const { owner } = await newOrg();
  const { body } = await api.call<{ key: string }>("POST", "/v1/keys", {
    token: owner,
    body: { scope: "secret" },
  });
  await api.call("GET", "/v1/keys/secret/reveal", { token: owner });
  const subject = body.key.slice(0, 12);
  const events = await eventsOf(owner);
  expect(events).toMatchObject([
    {
      event: "security.key.revealed",
      subject,
      actor: { name: "owner@org-1.org" },
      network: "127.0.0.1",
      left_out: 0,
    },
    { event: "security.key.rotated", subject, reason: null, route: "POST /v1/keys" },
  ]);
  const lines = logged().filter((line) => line.subject === subject);
  expect(lines.map(({ event }) => event)).toEqual(["security.key.rotated", "security.key.revealed"]);
  for (const text of [api.logged(), JSON.stringify(events)]) expect(text).not.toContain(body.key);
});

test("service tokens and webhook secrets are reported, without the secret", async () => {
  const { owner } = await newOrg();
  const made = await api.call<{ id: string; token: string }>("POST", "/v1/service-tokens", {
    token: owner,
    body: { name: "ci", role: "member", expires_in_days: 1 },
  });
  await api.call("DELETE", `/v1/service-tokens/${made.body.id}`, { token: owner });
  const { body } = await api.call<{ secret: string }>("POST", "/v1/webhook-secrets", { token: owner });
  expect(await eventsOf(owner)).toMatchObject([
    { event: "security.webhook_secret.rotated", subject: null },
    { event: "security.token.revoked", subject: made.body.token.slice(0, 12) },
    { event: "security.token.created", subject: made.body.token.slice(0, 12) },
  ]);
  for (const secret of [made.body.token, body.secret]) expect(api.logged()).not.toContain(secret);
});

test("the SCIM token is reported when it is made and revoked, without the secret", async () => {
  const { owner } = await newOrg();
  const { body } = await api.call<{ token: string }>("POST", "/v1/scim-token", { token: owner });
  await api.call("DELETE", "/v1/scim-token", { token: owner });
  await api.call("DELETE", "/v1/scim-token", { token: owner });
  expect(await eventsOf(owner)).toMatchObject([
    { event: "security.scim_token.revoked", route: "DELETE /v1/scim-token" },
    { event: "security.scim_token.rotated", subject: body.token.slice(0, 12) },
  ]);
  expect(api.logged()).not.toContain(body.token);
});

test("a refused right is the org's, a refused credential nobody's", async () => {
  const { owner, member } = await newOrg();
  const before = logged().length;
  await api.call("GET", "/v1/keys/secret/reveal", { token: member });
  await api.call("GET", "/v1/keys", { token: "nonsense" });
  expect(await eventsOf(owner)).toMatchObject([
    {
      event: "security.permission.refused",
      reason: "role-required",
      route: "GET /v1/keys/:scope/reveal",
      actor: { name: expect.stringContaining("member@") },
    },
  ]);
  expect(logged().slice(before)).toMatchObject([
    { event: "security.permission.refused" },
    { event: "security.credential.refused", orgId: null, actor: null, reason: "invalid-credential" },
  ]);
});

test("sign-ins and their refusals are reported", async () => {
  const signIn = (ticket: string) =>
    fetch(`${api.service.url}/auth/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: api.service.url },
      body: JSON.stringify({ ticket }),
    });
  const ticket = api.service.signInUrl.split("ticket=")[1] ?? "";
  for (let attempt = 0; attempt < 2; attempt += 1) await signIn(ticket);
  const names = logged().map(({ event }) => event);
  expect(names).toContain("security.sign_in.accepted");
  expect(names).toContain("security.sign_in.refused");
  expect(api.logged()).not.toContain(ticket);
});

test("a restart stores what a flood left out as one count; acts stay", async () => {
  const { owner, member } = await newOrg();
  await api.call("POST", "/v1/keys", { token: owner, body: { scope: "secret" } });
  for (let attempt = 0; attempt < 20; attempt += 1)
    await api.call("GET", "/v1/keys/secret/reveal", { token: member });
  await api.restart();
  const events = await eventsOf(owner);
  expect(events.map(({ event, left_out }) => [event, left_out]).sort()).toEqual([
    ["security.key.rotated", 0],
    ["security.permission.refused", 0],
    ["security.permission.refused", 19],
  ]);
});

test("events end after 90 days", async () => {
  const { owner } = await newOrg();
  await api.call("POST", "/v1/webhook-secrets", { token: owner });
  expect(await eventsOf(owner)).toHaveLength(1);
  now += 90 * DAY + 1;
  const later = await api.token({ email: "owner@later.org", org: `org-${orgs}`, role: "owner" });
  expect(await eventsOf(later)).toEqual([]);
});

test("the page of the documentation lists these events and bounds", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/security-log.md"), "utf8");
  const rows = Object.entries(SECURITY_EVENTS).map(
    ([name, { kind, meaning }]) => `| \`${name}\` | ${kind} | ${meaning} |`,
  );
  const table = page.split("\n").filter((line) => line.startsWith("| `security."));
  expect(table).toEqual(rows);
  for (const bound of [MAX_KEPT_BY_EVENT, MAX_KEPT_BY_NETWORK])
    expect(page).toContain(`at most ${bound.toLocaleString("en-US")}`);
});
