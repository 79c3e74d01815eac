import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { startIdentityProvider, type TestIdentityProvider } from "../../test-support/identity-provider.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const secret = `whsec_${randomBytes(24).toString("base64")}`;
/** Moved by hand: a person's times must not depend on this machine's speed. */
let now = Date.now();
const clock = { now: () => now };
let provider: TestIdentityProvider;
let api: TestService;
beforeAll(async () => {
  provider = await startIdentityProvider(clock, "clerk");
  api = await openTestService({ identity: { ...provider.settings, webhookSecret: secret } }, clock);
});
afterAll(async () => {
  await api.stop();
  await provider.stop();
});

interface Signing {
  readonly secret?: string;
  /** Seconds from now. */
  readonly at?: number;
  readonly prefix?: "svix" | "webhook";
}

/** The three headers as Clerk's sender makes them. */
function sign(text: string, { secret: key = secret, at = 0, prefix = "svix" }: Signing = {}) {
  const id = `msg_${randomBytes(9).toString("hex")}`;
  const signedAt = new Date(Date.now() + at * 1000);
  return {
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(Math.floor(signedAt.getTime() / 1000)),
    [`${prefix}-signature`]: new Webhook(key).sign(id, signedAt, text),
  };
}

async function post(body: string | Buffer, headers: Readonly<Record<string, string>>, to: TestService = api) {
  const response = await fetch(`${to.service.url}/v1/webhooks/clerk`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as WireProblem };
}
const send = (event: unknown, signing: Signing = {}) => {
  const text = typeof event === "string" ? event : JSON.stringify(event);
  return post(text, sign(text, signing));
};

const happened = (type: string, data: object, at = now) => ({
  type,
  object: "event",
  data: { updated_at: at, ...data },
  timestamp: at,
});
const membership = (verb: string, role = "org:member", at = now) =>
  happened(
    `organizationMembership.${verb}`,
    {
      organization: { id: "org_one", name: "One" },
      public_user_data: { user_id: "user_ben", first_name: "Ben", last_name: "Ray", identifier: "ben@x.org" },
      role,
    },
    at,
  );
/** What a session of the person says, in a token of now. */
const whoami = (sub: string, claims: object = {}) =>
  api.call<{ role: string; org_id: string; email: string; name: string } & WireProblem>("GET", "/v1/whoami", {
    token: provider.token({ sub, email: undefined, name: undefined, ...claims }),
  });

describe("a signature", () => {
  const harmless = JSON.stringify({ type: "session.created", data: {} });

  test.each(["svix", "webhook"] as const)("under %s-* is taken", async (prefix) => {
    expect(await send(harmless, { prefix })).toEqual({ status: 204, body: null });
  });

  test.each([
    {
      name: "of another secret",
      headers: () => sign(harmless, { secret: `whsec_${randomBytes(24).toString("base64")}` }),
    },
    { name: "of another body", headers: () => sign(`${harmless} `) },
    { name: "replayed after six minutes", headers: () => sign(harmless, { at: -360 }) },
    { name: "from six minutes ahead", headers: () => sign(harmless, { at: 360 }) },
    { name: "with another delivery's id", headers: () => ({ ...sign(harmless), "svix-id": "msg_other" }) },
    { name: "that is text", headers: () => ({ ...sign(harmless), "svix-signature": "v1,nonsense" }) },
    { name: "without its timestamp", headers: () => ({ ...sign(harmless), "svix-timestamp": "" }) },
    { name: "that is missing", headers: () => ({}) },
  ])("$name is 401", async ({ headers }) => {
    const { status, body } = await post(harmless, headers());
    expect([status, slugOf(body)]).toEqual([401, "invalid-signature"]);
    expect(body.detail).not.toContain(secret);
  });

  test.each([
    { name: "local identity", identity: async () => ({ kind: "local" as const }) },
    { name: "no webhook secret", identity: async () => provider.settings },
  ])("is 401 under $name, and the detail says why", async ({ identity }) => {
    const other = await openTestService({ identity: await identity() });
    try {
      const { status, body } = await post(harmless, sign(harmless), other);
      expect([status, slugOf(body)]).toEqual([401, "invalid-signature"]);
      expect(body.detail).toContain("ASSAY_IDENTITY_WEBHOOK_SECRET");
    } finally {
      await other.stop();
    }
  });
});

describe("a body", () => {
  test.each([
    "",
    "[]",
    "17",
    "null",
    "{",
    '{"type":7}',
    '{"type":"user.created"}',
    '{"type":"user.created","data":{}}',
  ])("%j is 400", async (text) => {
    const { status, body } = await send(text);
    expect([status, slugOf(body)]).toEqual([400, "invalid-body"]);
  });

  test.each([
    { name: "a NUL", data: { id: "user_nul", first_name: "a\0b" } },
    { name: "half a surrogate pair", data: { id: "user_half", first_name: "\ud800" } },
    { name: "a prototype", data: JSON.parse('{"id":"user_proto","__proto__":{"first_name":"x"}}') as object },
    { name: "an endless number", data: { id: "user_late", updated_at: 1e300 } },
  ])("with $name is taken", async ({ data }) => {
    expect((await send(happened("user.created", data))).status).toBe(204);
  });

  test("may be compressed, and at most 1 MiB", async () => {
    const text = JSON.stringify({ type: "session.created", data: {} });
    const zipped = await post(gzipSync(text), { ...sign(text), "content-encoding": "gzip" });
    expect(zipped.status).toBe(204);
    const long = JSON.stringify({ type: "session.created", data: { text: "x".repeat(1024 * 1024) } });
    expect((await send(long)).status).toBe(413);
    const bomb = await post(gzipSync(long), { ...sign(long), "content-encoding": "gzip" });
    expect(bomb.status).toBe(413);
  });
});

describe("what Clerk tells", () => {
  test("is who a person is, where their token does not say", async () => {
    await send(membership("created", "org:admin", now - 5_000));
    const primary = { id: "idn_1", email_address: "Ben@X.org", verification: { status: "verified" } };
    await send(
      happened("user.created", {
        id: "user_ben",
        first_name: "Benjamin",
        primary_email_address_id: "idn_1",
        email_addresses: [primary],
      }),
    );
    const { status, body } = await whoami("user_ben", { org_id: "org_one" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ role: "admin", email: "ben@x.org", name: "Benjamin" });
  });

  test("ends a removed member's sessions, and lets them in again once they are a member again", async () => {
    const token = provider.token({ sub: "user_ben", org_id: "org_one", org_role: "org:admin" });
    const call = (held: string) => api.call<WireProblem>("GET", "/v1/whoami", { token: held });
    expect((await call(token)).status).toBe(200);
    now += 2_000;
    expect((await send(membership("deleted", "org:admin"))).status).toBe(204);
    const refused = await call(token);
    expect([refused.status, slugOf(refused.body)]).toEqual([401, "invalid-credential"]);
    now += 2_000;
    await send(membership("created", "org:admin"));
    expect((await call(token)).status).toBe(200);
  });

  test("counts over what an older token says", async () => {
    const held = provider.token({ sub: "user_ben", org_id: "org_one", org_role: "org:admin" });
    now += 2_000;
    await send(membership("updated", "org:member"));
    const { body } = await api.call<{ role: string }>("GET", "/v1/whoami", { token: held });
    expect(body.role).toBe("member");
    expect((await api.call("POST", "/v1/keys", { token: held, body: { scope: "secret" } })).status).toBe(403);
  });

  test("is audited as Clerk's, once however often it is delivered", async () => {
    now += 2_000;
    for (let time = 0; time < 3; time++) await send(membership("updated", "org:owner"));
    const token = provider.token({ sub: "user_ben", org_id: "org_one", org_role: "org:owner" });
    const { body: me } = await api.call<{ user_id: string }>("GET", "/v1/whoami", { token });
    const { body } = await api.call<{
      items: { action: string; actor: object; diff: object; summary: string }[];
    }>("GET", `/v1/audit?target_id=${me.user_id}`, { token });
    expect(body.items[0]).toMatchObject({
      action: "member.sync",
      actor: { id: "identity-provider", name: "Clerk", email: "" },
      diff: { role: { from: "member", to: "owner" } },
      summary: expect.stringMatching(/^Made .+ owner, by webhook\.$/),
    });
    expect(body.items.map(({ diff }) => diff)).toEqual([
      { role: { from: "member", to: "owner" } },
      { role: { from: "admin", to: "member" } },
      { role: { from: null, to: "admin" } },
      { role: { from: "admin", to: null } },
      { role: { from: null, to: "admin" } },
    ]);
  });

  test("deletes an org: its people and its keys are out with the next request", async () => {
    const token = provider.token({ sub: "user_dan", org_id: "org_gone", org_role: "owner" });
    const { body } = await api.call<{ key: string }>("POST", "/v1/keys", {
      token,
      body: { scope: "secret" },
    });
    expect((await api.call("GET", "/v1/config", { key: body.key })).status).toBe(200);
    now += 2_000;
    await send({ type: "organization.deleted", data: { id: "org_gone", deleted: true }, timestamp: now });
    expect((await api.call("GET", "/v1/config", { key: body.key })).status).toBe(401);
    expect((await api.call("GET", "/v1/whoami", { token })).status).toBe(401);
    now += 2_000;
    expect((await whoami("user_dan", { org_id: "org_gone", org_role: "owner" })).status).toBe(401);
  });

  test("deletes a user: they are removed from every org, with audit entries", async () => {
    const eve = await whoami("user_eve", { org_id: "org_one", org_role: "member" });
    expect(eve.status).toBe(200);
    now += 2_000;
    const deletion = { type: "user.deleted", data: { id: "user_eve", deleted: true }, timestamp: now };
    for (let delivery = 0; delivery < 2; delivery++) await send(deletion);
    now += 2_000;
    expect((await whoami("user_eve", { org_id: "org_one", org_role: "member" })).status).toBe(401);
    const token = provider.token({ sub: "user_adam", org_id: "org_one", org_role: "admin" });
    const { user_id: id } = eve.body as unknown as { user_id: string };
    const audit = await api.call<{ items: { action: string; diff: unknown }[] }>(
      "GET",
      `/v1/audit?target_id=${id}`,
      { token },
    );
    expect(audit.body.items).toMatchObject([
      { action: "member.sync", diff: { role: { from: "member", to: null } } },
      { action: "member.sync", diff: { role: { from: null, to: "member" } } },
    ]);
  });
});
