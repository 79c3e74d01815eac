import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAuthenticator, type TestAuthenticator } from "../../test-support/authenticator.ts";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { startIdentityProvider } from "../../test-support/identity-provider.ts";
import { addPasskey, challengeOf, confirm, ORIGIN, RP_ID } from "../../test-support/passkeys.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const MINUTE_MS = 60_000;

let ahead = 0;
let api: TestService;
/** A fresh person of the org for each test, with a session. */
let email: string;
let token: string;
let authenticator: TestAuthenticator;

beforeAll(async () => {
  api = await openTestService({ publicUrl: ORIGIN }, { now: () => Date.now() + ahead });
});
afterAll(() => api.stop());
beforeEach(async () => {
  ahead = 0;
  email = `${randomUUID()}@team.org`;
  token = await api.token({ email, role: "admin" });
  authenticator = createAuthenticator();
});

const idOf = async (session: string) =>
  (await api.call<{ user_id: string }>("GET", "/v1/whoami", { token: session })).body.user_id;
interface WirePasskey {
  readonly id: string;
  readonly name: string;
  readonly last_used_at: string | null;
}
const passkeys = async (session = token) =>
  (await api.call<{ items: readonly WirePasskey[] }>("GET", "/v1/passkeys", { token: session })).body.items;
const audit = async (targetId: string) => {
  const { body } = await api.call<{ items: readonly { action: string; actor: { email: string } }[] }>(
    "GET",
    `/v1/audit?target_id=${encodeURIComponent(targetId)}`,
  );
  return body.items.map(({ action, actor }) => [action, actor.email]);
};
const problemOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => [
  status,
  slugOf(body as WireProblem),
];

describe("a passkey", () => {
  test("is added, listed and removed by its person, audited and logged", async () => {
    const name = `Key ${randomUUID()}`;
    const added = await addPasskey<WirePasskey>(api, token, authenticator, name);
    expect([added.status, added.body.id, added.body.name]).toEqual([201, authenticator.id, name]);
    expect(await passkeys()).toEqual([added.body]);
    const others = await api.token({ email: `${randomUUID()}@team.org`, role: "owner" });
    expect(await passkeys(others)).toEqual([]);
    const path = `/v1/passkeys/${authenticator.id}`;
    expect(problemOf(await api.call("DELETE", path, { token: others }))).toEqual([404, "passkey-not-found"]);
    expect((await api.call("DELETE", path, { token })).status).toBe(204);
    expect(await passkeys()).toEqual([]);
    expect(await audit(name)).toEqual([
      ["passkey.remove", email],
      ["passkey.add", email],
    ]);
    expect(api.logged()).toContain("security.passkey.added");
    expect(api.logged()).toContain("security.passkey.removed");
  });

  test("makes an old session recent, for 15 minutes", async () => {
    await addPasskey(api, token, authenticator);
    await api.call("POST", "/v1/keys", { token, body: { scope: "secret" } });
    const reveal = async () => (await api.call("GET", "/v1/keys/secret/reveal", { token })).status;
    ahead = 60 * MINUTE_MS;
    expect(await reveal()).toBe(403);
    expect((await confirm(api, token, authenticator)).status).toBe(204);
    expect(await reveal()).toBe(200);
    expect((await passkeys())[0]?.last_used_at).not.toBeNull();
    const elsewhere = await api.token({ email, role: "admin" });
    ahead += 16 * MINUTE_MS;
    expect(await reveal()).toBe(403);
    expect((await confirm(api, token, authenticator)).status).toBe(204);
    // Only the session in which it was used.
    const others = await api.call("GET", "/v1/keys/secret/reveal", { token: elsewhere });
    expect(problemOf(others)).toEqual([403, "recent-sign-in-required"]);
  });

  test("is not added or removed in an old session", async () => {
    await addPasskey(api, token, authenticator);
    ahead = 16 * MINUTE_MS;
    const options = await api.call("POST", "/v1/passkeys/registration-options", { token });
    expect(problemOf(options)).toEqual([403, "recent-sign-in-required"]);
    const removal = await api.call("DELETE", `/v1/passkeys/${authenticator.id}`, { token });
    expect(problemOf(removal)).toEqual([403, "recent-sign-in-required"]);
  });

  test("is one of at most 20, each added once", async () => {
    await addPasskey(api, token, authenticator);
    expect(problemOf(await addPasskey(api, token, authenticator))).toEqual([403, "passkey-refused"]);
    for (let count = 1; count < 20; count += 1) await addPasskey(api, token, createAuthenticator());
    const options = await api.call("POST", "/v1/passkeys/registration-options", { token });
    expect(problemOf(options)).toEqual([409, "too-many-passkeys"]);
  });
});

describe("nobody confirms", () => {
  test("without a passkey", async () => {
    const options = await api.call("POST", "/v1/passkeys/confirmation-options", { token });
    expect(problemOf(options)).toEqual([404, "passkey-not-found"]);
  });

  test.each([
    { name: "for another origin", answer: { origin: "https://assay.example.com" } },
    { name: "for another host name", answer: { rpId: "example.org" } },
    { name: "for another challenge", answer: { challenge: "c29tZXRoaW5nIGVsc2U" } },
    { name: "of another kind", differing: { type: "webauthn.create" } },
    { name: "without the person's own check", differing: { isUserVerified: false } },
    { name: "with a counter that stands still", differing: { counter: 1 } },
    { name: "with a counter that went back to 0", differing: { counter: 0 } },
  ])("with an answer $name, and it is logged", async ({ answer = {}, differing = {} }) => {
    await addPasskey(api, token, authenticator);
    const challenge = await challengeOf(api, token, "confirmation");
    const credential = authenticator.get({ challenge, origin: ORIGIN, rpId: RP_ID, ...answer }, differing);
    const options = { token, body: { credential } };
    expect(problemOf(await api.call("POST", "/v1/passkeys/confirm", options))).toEqual([
      403,
      "passkey-refused",
    ]);
    expect(api.logged()).toContain("security.passkey.refused");
    expect((await passkeys())[0]?.last_used_at).toBeNull();
  });

  test("with an answer that was used, also when it was refused", async () => {
    await addPasskey(api, token, authenticator);
    const challenge = await challengeOf(api, token, "confirmation");
    const credential = authenticator.get({ challenge, origin: ORIGIN, rpId: RP_ID });
    const send = () => api.call("POST", "/v1/passkeys/confirm", { token, body: { credential } });
    expect((await send()).status).toBe(204);
    expect(problemOf(await send())).toEqual([403, "passkey-refused"]);
    const next = await challengeOf(api, token, "confirmation");
    const wrong = { token, body: { credential: {} } };
    expect(problemOf(await api.call("POST", "/v1/passkeys/confirm", wrong))).toEqual([
      403,
      "passkey-refused",
    ]);
    const late = authenticator.get({ challenge: next, origin: ORIGIN, rpId: RP_ID });
    const body = { credential: late };
    expect(problemOf(await api.call("POST", "/v1/passkeys/confirm", { token, body }))).toEqual([
      403,
      "passkey-refused",
    ]);
  });

  test("after five minutes", async () => {
    await addPasskey(api, token, authenticator);
    const challenge = await challengeOf(api, token, "confirmation");
    const credential = authenticator.get({ challenge, origin: ORIGIN, rpId: RP_ID });
    ahead = 5 * MINUTE_MS;
    const answer = await api.call("POST", "/v1/passkeys/confirm", { token, body: { credential } });
    expect(problemOf(answer)).toEqual([403, "passkey-refused"]);
  });

  test("with a passkey that was removed, or another person's", async () => {
    await addPasskey(api, token, authenticator);
    const kept = createAuthenticator();
    await addPasskey(api, token, kept);
    await api.call("DELETE", `/v1/passkeys/${authenticator.id}`, { token });
    expect(problemOf(await confirm(api, token, authenticator))).toEqual([403, "passkey-refused"]);
    const others = await api.token({ email: `${randomUUID()}@team.org`, role: "admin" });
    await addPasskey(api, others, createAuthenticator());
    expect(problemOf(await confirm(api, others, kept))).toEqual([403, "passkey-refused"]);
  });

  test("in another session than the one that asked", async () => {
    await addPasskey(api, token, authenticator);
    const second = await api.token({ email, role: "admin" });
    const challenge = await challengeOf(api, token, "confirmation");
    const credential = authenticator.get({ challenge, origin: ORIGIN, rpId: RP_ID });
    const stolen = await api.call("POST", "/v1/passkeys/confirm", { token: second, body: { credential } });
    expect(problemOf(stolen)).toEqual([403, "passkey-refused"]);
  });
});

test.each([
  {},
  { id: 1, response: null },
  { id: "x".repeat(600), rawId: "x".repeat(600), type: "public-key", response: {} },
  { id: "AA", rawId: "AA", type: "public-key", response: { clientDataJSON: "e30", attestationObject: "gA" } },
])("a malformed answer is refused: %j", async (credential) => {
  await challengeOf(api, token, "registration");
  const answer = await api.call("POST", "/v1/passkeys", { token, body: { name: "Key", credential } });
  expect(problemOf(answer)).toEqual([403, "passkey-refused"]);
});

test("an answer of more than 16 KiB is refused before it is read", async () => {
  const credential = { response: "x".repeat(17_000) };
  const answer = await api.call("POST", "/v1/passkeys", { token, body: { name: "Key", credential } });
  expect(problemOf(answer)).toEqual([400, "invalid-body"]);
});

describe("an admin resets the passkeys of a member", () => {
  test("who lost theirs: their sessions end, and it is audited", async () => {
    await addPasskey(api, token, authenticator);
    const id = await idOf(token);
    const admin = await api.token({ email: "admin@team.org", role: "admin" });
    const reset = await api.call("DELETE", `/v1/members/${id}/passkeys`, { token: admin });
    expect(reset.status).toBe(204);
    expect((await api.call("GET", "/v1/whoami", { token })).status).toBe(401);
    expect(await passkeys(await api.token({ email, role: "admin" }))).toEqual([]);
    expect(await audit(id)).toContainEqual(["passkey.reset", "admin@team.org"]);
  });

  test("but not of an owner, nor of a person of another org", async () => {
    await addPasskey(api, token, authenticator);
    const owner = await idOf(await api.token());
    const refused = await api.call("DELETE", `/v1/members/${owner}/passkeys`, { token });
    expect(problemOf(refused)).toEqual([403, "role-required"]);
    const strangers = await api.token({ email: "boss@elsewhere.org", org: "elsewhere" });
    const path = `/v1/members/${await idOf(token)}/passkeys`;
    expect(problemOf(await api.call("DELETE", path, { token: strangers }))).toEqual([
      404,
      "member-not-found",
    ]);
    expect(await passkeys()).toHaveLength(1);
  });
});

test("passkeys are of one org: the same person has others elsewhere", async () => {
  await addPasskey(api, token, authenticator);
  const elsewhere = await api.token({ email, role: "owner", org: "elsewhere" });
  expect(await passkeys(elsewhere)).toEqual([]);
});

test("an address of numbers is explained, because browsers refuse it", async () => {
  const plain = await openTestService();
  const { status, body } = await plain.call<WireProblem>("POST", "/v1/passkeys/registration-options");
  await plain.stop();
  expect([status, slugOf(body)]).toEqual([409, "passkey-address"]);
  expect(body.detail).toContain("http://localhost");
});

test("with an identity provider, its second factors count", async () => {
  const provider = await startIdentityProvider();
  const service = await openTestService({ identity: provider.settings });
  const session = await provider.token({ org_role: "admin" });
  const answer = await service.call("GET", "/v1/passkeys", { token: session });
  await service.stop();
  await provider.stop();
  expect(problemOf(answer)).toEqual([409, "members-elsewhere"]);
});
