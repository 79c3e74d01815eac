import { generateKeyPairSync } from "node:crypto";
import { DomainError } from "@assay/domain";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  makeKey,
  signJws,
  startIdentityProvider,
  type TestIdentityProvider,
} from "../test-support/identity-provider.ts";
import { tokenAttacks } from "../test-support/token-attacks.ts";
import type { ProviderIdentity } from "./identity-provider.ts";
import { providerIdentity } from "./provider-identity.ts";

const START = Date.parse("2026-03-01T12:00:00Z");
const DAY_MS = 86_400_000;
const clock = { now: () => Date.now() };
let provider: TestIdentityProvider;
let identity: ProviderIdentity;

beforeEach(async () => {
  // jose measures the age of keys by Date: it is moved, not waited for.
  vi.useFakeTimers({ toFake: ["Date"], now: START });
  provider = await startIdentityProvider(clock);
  identity = providerIdentity(provider.settings, clock);
});
afterEach(async () => {
  vi.useRealTimers();
  await provider.stop();
});

const outcome = (token: string) =>
  identity.verify(token).then(
    () => "let in",
    (error: unknown) => (error instanceof DomainError ? error.kind : error),
  );
const detail = (token: string) => identity.verify(token).catch((error: unknown) => (error as Error).message);

describe("a good token", () => {
  test.each(["RS256", "ES256", "EdDSA"] as const)("signed with %s tells who its holder is", async (alg) => {
    expect(await identity.verify(provider.token({}, {}, alg))).toEqual({
      externalUserId: "user_ann",
      externalOrgId: "org_one",
      orgName: null,
      role: "admin",
      email: "ann@x.org",
      name: "Ann",
      isEmailVerified: false,
      isRoleNamed: true,
      issuedAt: START,
      session: {
        id: expect.stringMatching(/^token [0-9a-f]{64}$/),
        isOwn: false,
        startedAt: START,
        endsAt: START + DAY_MS,
      },
    });
  });

  test.each([
    {
      name: "Clerk's compact org",
      claims: { org_id: undefined, org_role: undefined, o: { id: "org_c", rol: "member", slg: "c" } },
      read: { externalOrgId: "org_c", role: "member" },
    },
    { name: "Clerk's older role", claims: { org_role: "org:admin" }, read: { role: "admin" } },
    { name: "an owner", claims: { org_role: "owner" }, read: { role: "owner" } },
    { name: "the org's name", claims: { org_name: "One" }, read: { orgName: "One" } },
    {
      name: "no email and no name",
      claims: { email: undefined, name: null },
      read: { email: null, name: null },
    },
    { name: "empty texts of a template", claims: { email: "", name: "" }, read: { email: null, name: null } },
    { name: "a verified email", claims: { email_verified: true }, read: { email: "ann@x.org" } },
    { name: "an email verified in text", claims: { email_verified: "true" }, read: { email: "ann@x.org" } },
    { name: "an email that is not verified", claims: { email_verified: false }, read: { email: null } },
    { name: "one not verified in text", claims: { email_verified: "false" }, read: { email: null } },
    { name: "several audiences", claims: { aud: ["another", "assay-test"] }, read: { role: "admin" } },
    {
      name: "a clock 4 s ahead",
      claims: { iat: START / 1000 + 4, nbf: START / 1000 + 4 },
      read: { issuedAt: START + 4000 },
    },
    { name: "a clock 4 s behind", claims: { exp: START / 1000 - 4 }, read: { role: "admin" } },
  ])("is read with $name", async ({ claims, read }) => {
    expect(await identity.verify(provider.token(claims))).toMatchObject(read);
  });
});

describe("a token that is valid for a hundred years", () => {
  const claims = { exp: START / 1000 + 100 * 365 * 86_400 };

  test.each([
    { age: DAY_MS, is: "let in" },
    { age: DAY_MS + 6_000, is: "invalid-credential" },
  ])("$age ms after it was issued: $is", async ({ age, is }) => {
    const token = provider.token(claims);
    vi.setSystemTime(START + age);
    expect(await outcome(token)).toBe(is);
  });

  test("does not last longer by having no date", async () => {
    expect(await outcome(provider.token({ ...claims, iat: undefined }))).toBe("invalid-credential");
  });
});

test("a token without an org is read for somebody who needs none", async () => {
  const token = provider.token({ org_id: undefined, org_role: undefined, email_verified: true });
  expect(await identity.verifyPerson(token)).toMatchObject({ email: "ann@x.org", isEmailVerified: true });
  expect((await identity.verifyPerson(token)).externalOrgId).toBeUndefined();
  expect((await identity.verifyPerson(provider.token())).externalOrgId).toBe("org_one");
});

describe.each(["RS256", "ES256", "EdDSA"] as const)("with a provider that signs %s", (alg) => {
  test("every forged or unfit token is an invalid credential", async () => {
    const attacks = tokenAttacks({ claims: provider.claims, key: provider.key(alg) });
    expect(attacks.length).toBeGreaterThan(60);
    expect(await outcome(provider.token({}, {}, alg))).toBe("let in");
    const outcomes = await Promise.all(
      attacks.map(async ({ name, token }) => ({ name, is: await outcome(token) })),
    );
    expect(outcomes.filter(({ is }) => is !== "invalid-credential")).toEqual([]);
  });
});

describe("a token that lets nobody in tells its holder why:", () => {
  test.each([
    { name: "no organization", claims: { org_id: undefined }, says: /needs the claims org_id and org_role/ },
    { name: "no role", claims: { org_role: undefined }, says: /org_role is missing/ },
    {
      name: "a custom role",
      claims: { org_role: "org:billing" },
      says: /"org:billing".*member, admin, owner/,
    },
    { name: "another audience", claims: { aud: "another" }, says: /claim aud/ },
    { name: "expired", claims: { exp: START / 1000 - 60 }, says: /expired: sign in again/ },
  ])("$name", async ({ claims, says }) => {
    expect(await detail(provider.token(claims))).toMatch(says);
  });
});

test("Clerk's token of a sign-in that is not finished lets nobody in", async () => {
  const clerk = providerIdentity({ ...provider.settings, kind: "clerk" }, clock);
  expect(await clerk.verify(provider.token({ sts: "active" }))).toMatchObject({ role: "admin" });
  await expect(clerk.verify(provider.token({ sts: "pending" }))).rejects.toMatchObject({
    kind: "invalid-credential",
    message: expect.stringMatching(/not complete/),
  });
});

describe("the provider's keys", () => {
  test("are fetched once for many tokens at once", async () => {
    await Promise.all(Array.from({ length: 50 }, () => identity.verify(provider.token())));
    expect(provider.fetches).toBe(1);
  });

  test("are fetched again, without a restart, for a token of a new key", async () => {
    const old = provider.token();
    expect(await outcome(old)).toBe("let in");
    provider.rotate();
    vi.setSystemTime(START + 31_000);
    expect(await outcome(provider.token())).toBe("let in");
    expect(await outcome(old)).toBe("invalid-credential");
    expect(provider.fetches).toBe(2);
  });

  test("a withdrawn key is refused once the keys are ten minutes old", async () => {
    expect(await outcome(provider.token())).toBe("let in");
    const { privateKey, kid } = provider.key("RS256");
    provider.rotate();
    vi.setSystemTime(START + 601_000);
    expect(await outcome(signJws({ alg: "RS256", kid }, provider.claims(), privateKey))).toBe(
      "invalid-credential",
    );
  });

  test("a flood of unknown keys fetches once in 30 s", async () => {
    await identity.verify(provider.token());
    const flood = () =>
      Promise.all(Array.from({ length: 100 }, (_, i) => outcome(provider.token({}, { kid: `none-${i}` }))));
    for (const at of [1_000, 15_000, 29_000]) {
      vi.setSystemTime(START + at);
      expect(new Set(await flood())).toEqual(new Set(["invalid-credential"]));
    }
    expect(provider.fetches).toBe(1);
    vi.setSystemTime(START + 31_000);
    await flood();
    await flood();
    expect(provider.fetches).toBe(2);
  });

  test("a token without kid is taken where one key fits, and refused where several do", async () => {
    const token = provider.token({}, { kid: undefined });
    expect(await outcome(token)).toBe("let in");
    provider.publish(makeKey("RS256").publicJwk);
    vi.setSystemTime(START + 601_000);
    expect(await outcome(provider.token({}, { kid: undefined }))).toBe("invalid-credential");
  });

  test("a key that is too weak, or for another use, lets nobody in", async () => {
    const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const encryption = makeKey("ES256");
    provider.publish({ ...weak.publicKey.export({ format: "jwk" }), kid: "weak", alg: "RS256", use: "sig" });
    provider.publish({ ...encryption.publicJwk, use: "enc" });
    const tokens = [
      signJws({ alg: "RS256", kid: "weak" }, provider.claims(), weak.privateKey),
      signJws({ alg: "ES256", kid: encryption.kid }, provider.claims(), encryption.privateKey),
    ];
    expect(await Promise.all(tokens.map(outcome))).toEqual(["invalid-credential", "invalid-credential"]);
  });
});

describe("a provider that is down", () => {
  test.each(["error", "redirect", "no-json", "no-key-set"] as const)(
    "(%s) makes it unavailable, to be tried again in 5 s, and lets people in once it is back",
    async (answer) => {
      provider.answerWith(answer);
      const error = await identity.verify(provider.token()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ kind: "identity-unavailable", retryAfterSeconds: 5 });
      provider.answerWith("keys");
      vi.setSystemTime(START + 1_001);
      expect(await outcome(provider.token())).toBe("let in");
    },
  );

  test("is unavailable when it accepts the connection and says nothing", { timeout: 80_000 }, async () => {
    provider.answerWith("no-answer");
    expect(await outcome(provider.token())).toBe("identity-unavailable");
  });

  test("is unavailable when nothing listens there", async () => {
    const gone = await startIdentityProvider(clock);
    identity = providerIdentity(gone.settings, clock);
    await gone.stop();
    expect(await outcome(gone.token())).toBe("identity-unavailable");
  });

  test("is not asked again for a second, however many come", async () => {
    provider.answerWith("error");
    for (let i = 0; i < 20; i += 1) expect(await outcome(provider.token())).toBe("identity-unavailable");
    expect(provider.fetches).toBe(1);
  });

  test("does not lock out holders of tokens whose key is known", async () => {
    await identity.verify(provider.token());
    provider.answerWith("error");
    vi.setSystemTime(START + 31_000);
    expect(await outcome(provider.token({}, { kid: "none" }))).toBe("identity-unavailable");
    expect(await outcome(provider.token())).toBe("let in");
  });
});
