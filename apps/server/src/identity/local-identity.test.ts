import { createPrivateKey, createPublicKey } from "node:crypto";
import { DomainError } from "@assay/domain";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { signJws, type TestKey } from "../test-support/identity-provider.ts";
import { tokenAttacks } from "../test-support/token-attacks.ts";
import { localIdentity } from "./local-identity.ts";
import { makeSigningKey } from "./session-tokens.ts";

const START = Date.parse("2026-03-01T12:00:00Z");
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ann = { email: "Ann@x.org", name: "Ann", role: "admin", externalOrgId: "local" } as const;

function open(pem = makeSigningKey()) {
  const time = { now: START };
  const identity = localIdentity(pem, { now: () => time.now });
  const outcome = (token: string) =>
    identity.verify(token).then(
      () => "let in",
      (error: unknown) => (error instanceof DomainError ? error.kind : error),
    );
  return { identity, outcome, time };
}

test("a token says who its holder is, and which session it is of", async () => {
  const { identity } = open();
  const read = await identity.verify(await identity.issue(ann));
  expect(read).toEqual({
    externalUserId: "local|ann@x.org",
    externalOrgId: "local",
    orgName: "My organization",
    role: "admin",
    email: "ann@x.org",
    name: "Ann",
    issuedAt: START,
    isEmailVerified: true,
    isRoleNamed: true,
    session: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      isOwn: true,
      startedAt: START,
      endsAt: START + 30 * DAY_MS,
    },
  });
});

test("two tokens are two sessions unless one goes on", async () => {
  const { identity } = open();
  const [one, two] = [
    await identity.verify(await identity.issue(ann)),
    await identity.verify(await identity.issue(ann)),
  ];
  expect(one.session?.id).not.toBe(two.session?.id);
  const renewed = await identity.verify(await identity.issue({ ...ann, session: one.session }));
  expect(renewed.session).toEqual(one.session);
});

test("every forged or unfit token is an invalid credential", async () => {
  const pem = makeSigningKey();
  const { identity, outcome } = open(pem);
  const privateKey = createPrivateKey(pem);
  const publicJwk = createPublicKey(privateKey).export({ format: "jwk" });
  const key: TestKey = { kid: "local", alg: "EdDSA", privateKey, publicJwk };
  const good = decodeJwt(await identity.issue(ann));
  const claims = (changed = {}) => ({ ...good, ...changed });
  expect(await outcome(signJws({ alg: "EdDSA", kid: "local" }, claims(), privateKey))).toBe("let in");
  const attacks = tokenAttacks({ claims, key });
  const outcomes = await Promise.all(
    attacks.map(async ({ name, token }) => ({ name, is: await outcome(token) })),
  );
  expect(outcomes.filter(({ is }) => is !== "invalid-credential")).toEqual([]);
});

test("another installation's token is an invalid credential", async () => {
  expect(await open().outcome(await open().identity.issue(ann))).toBe("invalid-credential");
});

describe("a session", () => {
  test.each([
    { name: "lasts 12 hours unused", after: 12 * HOUR_MS - 1000, is: "let in" },
    {
      name: "has ended after 12 hours and the clocks' tolerance",
      after: 12 * HOUR_MS + 5000,
      is: "invalid-credential",
    },
  ])("$name", async ({ after, is }) => {
    const { identity, outcome, time } = open();
    const token = await identity.issue(ann);
    time.now += after;
    expect(await outcome(token)).toBe(is);
  });

  test("ends 30 days after the sign-in however often it is renewed", async () => {
    const { identity, outcome, time } = open();
    let token = await identity.issue(ann);
    for (time.now += 11 * HOUR_MS; time.now < START + 30 * DAY_MS; time.now += 11 * HOUR_MS) {
      const { session } = await identity.verify(token);
      token = await identity.issue({ ...ann, session });
    }
    time.now = START + 30 * DAY_MS - 1000;
    expect(await outcome(token)).toBe("let in");
    time.now = START + 30 * DAY_MS;
    expect(await outcome(token)).toBe("invalid-credential");
  });

  test("does not count as newer information on its holder after a renewal", async () => {
    const { identity, time } = open();
    const { session } = await identity.verify(await identity.issue(ann));
    time.now += 5 * HOUR_MS;
    expect((await identity.verify(await identity.issue({ ...ann, session }))).issuedAt).toBe(START);
  });

  test("cannot outlast 30 days by a far expiry", async () => {
    const pem = makeSigningKey();
    const { identity, outcome, time } = open(pem);
    const claims = { ...decodeJwt(await identity.issue(ann)), exp: START / 1000 + 365 * 86_400 };
    time.now += 31 * DAY_MS;
    expect(await outcome(signJws({ alg: "EdDSA" }, claims, createPrivateKey(pem)))).toBe(
      "invalid-credential",
    );
  });

  test("of an earlier version, without a name, lasts until it expires", async () => {
    const pem = makeSigningKey();
    const { identity, time } = open(pem);
    const { jti: _jti, auth_time: _time, ...claims } = decodeJwt(await identity.issue(ann));
    const token = signJws({ alg: "EdDSA" }, claims, createPrivateKey(pem));
    time.now += 11 * HOUR_MS;
    expect(await identity.verify(token)).toMatchObject({ issuedAt: START, session: null });
  });
});

test("an invalid signing key is reported as a damaged file", () => {
  expect(() => localIdentity(Buffer.from("none"), { now: () => START })).toThrow(/identity\.key/);
});
