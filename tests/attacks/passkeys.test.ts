import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createAuthenticator,
  type TestAuthenticator,
} from "../../apps/server/src/test-support/authenticator.ts";
import { slugOf, type WireProblem } from "../../apps/server/src/test-support/experiments.ts";
import { addPasskey, challengeOf, ORIGIN, RP_ID } from "../../apps/server/src/test-support/passkeys.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";

/** Attacks on passkeys by somebody who has a session of the person, or passkeys of their own. */
let api: TestService;
let email: string;
let token: string;
let device: TestAuthenticator;
beforeAll(async () => {
  api = await openTestService({ publicUrl: ORIGIN });
});
afterAll(() => api.stop());
beforeEach(async () => {
  email = `${randomUUID()}@team.org`;
  token = await api.token({ email, role: "admin" });
  device = createAuthenticator();
  await addPasskey(api, token, device);
});

const confirmWith = async (credential: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await api.call<WireProblem | null>("POST", "/v1/passkeys/confirm", {
    ...{ token, headers, body: { credential } },
  });
  return answer.status === 204 ? 204 : slugOf(answer.body as WireProblem);
};
const answerTo = async (purpose: "registration" | "confirmation") => {
  const challenge = await challengeOf(api, token, purpose);
  return device.get({ challenge, origin: ORIGIN, rpId: RP_ID }) as {
    readonly response: Readonly<Record<string, string>>;
  };
};

test("the same answer sent ten times at once counts once", async () => {
  const credential = await answerTo("confirmation");
  const results = await Promise.all(Array.from({ length: 10 }, () => confirmWith(credential)));
  expect(results.filter((result) => result === 204)).toHaveLength(1);
  expect(results.filter((result) => result === "passkey-refused")).toHaveLength(9);
});

test("a registration's challenge cannot be used for a confirmation", async () => {
  expect(await confirmWith(await answerTo("registration"))).toBe("passkey-refused");
});

test("an older challenge of the same session is refused", async () => {
  const credential = await answerTo("confirmation");
  await challengeOf(api, token, "confirmation");
  expect(await confirmWith(credential)).toBe("passkey-refused");
});

test.each(["clientDataJSON", "authenticatorData", "signature"])("a changed %s is refused", async (part) => {
  const { response, ...credential } = await answerTo("confirmation");
  const bytes = Buffer.from(response[part] ?? "", "base64url");
  bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
  const changed = { ...response, [part]: bytes.toString("base64url") };
  expect(await confirmWith({ ...credential, response: changed })).toBe("passkey-refused");
});

test("another device cannot answer for a known passkey", async () => {
  const challenge = await challengeOf(api, token, "confirmation");
  const foreign = createAuthenticator().get({ challenge, origin: ORIGIN, rpId: RP_ID });
  expect(await confirmWith({ ...foreign, id: device.id, rawId: device.id })).toBe("passkey-refused");
});

describe("only the installation's origin is accepted", () => {
  test.each([
    { header: "origin", value: "https://evil.example" },
    { header: "x-forwarded-host", value: "evil.example" },
    { header: "forwarded", value: "host=evil.example;proto=https" },
  ])("whatever $header says", async ({ header, value }) => {
    const challenge = await challengeOf(api, token, "confirmation");
    const credential = device.get({ challenge, origin: "https://evil.example", rpId: "evil.example" });
    expect(await confirmWith(credential, { [header]: value })).toBe("passkey-refused");
  });
});

test("a page on another origin cannot start anything with the cookie", async () => {
  const headers = { cookie: `__session=${token}`, origin: "https://evil.example" };
  const url = `${api.service.url}/v1/passkeys/confirmation-options`;
  const answer = await fetch(url, { method: "POST", headers });
  expect([answer.status, slugOf((await answer.json()) as WireProblem)]).toEqual([403, "foreign-origin"]);
});

test("a passkey of another org's person with the same email is not accepted", async () => {
  const elsewhere = await api.token({ email, role: "owner", org: "elsewhere" });
  const foreign = createAuthenticator();
  await addPasskey(api, elsewhere, foreign);
  const challenge = await challengeOf(api, token, "confirmation");
  expect(await confirmWith(foreign.get({ challenge, origin: ORIGIN, rpId: RP_ID }))).toBe("passkey-refused");
  const path = `/v1/passkeys/${device.id}`;
  expect((await api.call("DELETE", path, { token: elsewhere })).status).toBe(404);
});

test.each([
  { name: "a deep one", attack: { id: JSON.parse(`${"[".repeat(90)}${"]".repeat(90)}`) as unknown } },
  { name: "one of prototype keys", attack: JSON.parse('{"__proto__":{"id":"x"},"id":"x"}') as object },
])("a malformed body is refused: $name", async ({ attack }) => {
  await challengeOf(api, token, "registration");
  const body = { name: "Key", credential: attack };
  const answer = await api.call<WireProblem>("POST", "/v1/passkeys", { token, body });
  expect(["passkey-refused", "invalid-body"]).toContain(slugOf(answer.body));
});

test.each([
  { name: "a byte string of 2^62 bytes, of which none follow", cbor: "5b4000000000000000" },
  { name: "a map of 2^32 entries, of which none follow", cbor: "bb00000000ffffffff" },
  { name: "lists within lists", cbor: "81".repeat(5_000) },
  { name: "nothing", cbor: "" },
])("CBOR that lies is refused: $name", async ({ cbor }) => {
  const challenge = await challengeOf(api, token, "registration");
  const made = createAuthenticator().create({ challenge, origin: ORIGIN, rpId: RP_ID });
  const { response, ...rest } = made as { readonly response: object };
  const attestationObject = Buffer.from(cbor, "hex").toString("base64url");
  const credential = { ...rest, response: { ...response, attestationObject } };
  const body = { name: "Key", credential };
  const answer = await api.call<WireProblem>("POST", "/v1/passkeys", { token, body });
  expect(slugOf(answer.body)).toBe("passkey-refused");
  expect((await api.call("GET", "/v1/passkeys", { token })).status).toBe(200);
});
