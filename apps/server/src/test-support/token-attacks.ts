import { createPublicKey, type KeyObject } from "node:crypto";
import { makeKey, signJws, type TestKey } from "./identity-provider.ts";

type Json = Readonly<Record<string, unknown>>;

interface Attack {
  readonly name: string;
  readonly token: string;
}

interface Target {
  /** The claims of a good token, with these instead; undefined leaves one out. */
  claims(changed?: Json): Json;
  /** The key that signs good tokens. */
  readonly key: TestKey;
}

/** Tokens that must be refused, each valid except in one respect. */
export function tokenAttacks(target: Target): readonly Attack[] {
  return [
    ...signatureAttacks(target),
    ...headerAttacks(target),
    ...shapeAttacks(target),
    ...claimAttacks(target),
  ];
}

function signatureAttacks({ claims, key }: Target): readonly Attack[] {
  const { alg, kid, privateKey } = key;
  const header = { alg, kid, typ: "JWT" };
  const good = signJws(header, claims(), privateKey);
  const [head, payload] = good.split(".");
  const other = signJws(header, claims({ name: "Another" }), privateKey).split(".")[2];
  const publicKey = createPublicKey(privateKey);
  const hmac = (bytes: Uint8Array) => signJws({ ...header, alg: "HS256" }, claims(), bytes);
  return [
    { name: "alg none", token: signJws({ ...header, alg: "none" }, claims(), null) },
    { name: "alg nOnE", token: signJws({ ...header, alg: "nOnE" }, claims(), null) },
    { name: "alg none with a signature", token: signJws({ ...header, alg: "none" }, claims(), privateKey) },
    { name: "HS256 with the public key in PEM", token: hmac(Buffer.from(pemOf(publicKey))) },
    {
      name: "HS256 with the public key in DER",
      token: hmac(publicKey.export({ type: "spki", format: "der" })),
    },
    { name: "HS256 with the public key as JWK", token: hmac(Buffer.from(JSON.stringify(key.publicJwk))) },
    { name: "HS256 with no bytes", token: hmac(new Uint8Array()) },
    { name: "a stripped signature", token: `${head}.${payload}.` },
    { name: "the signature of another token", token: `${head}.${payload}.${other}` },
    {
      name: "another key under the same kid",
      token: signJws(header, claims(), makeKey(alg, kid).privateKey),
    },
  ];
}

function headerAttacks({ claims, key: { alg, kid, privateKey } }: Target): readonly Attack[] {
  const header = { alg, kid, typ: "JWT" };
  const foreign = makeKey(alg);
  const embedded = { ...header, jwk: foreign.publicJwk };
  const pointed = { ...header, jku: "https://evil.example/jwks", x5u: "https://evil.example/cert" };
  const signed = (changed: Json) => signJws({ ...header, ...changed }, claims(), privateKey);
  return [
    { name: "a key of its own in the header", token: signJws(embedded, claims(), foreign.privateKey) },
    {
      name: "a key of its own in the header, without kid",
      token: signJws({ ...embedded, kid: undefined }, claims(), foreign.privateKey),
    },
    { name: "addresses of keys of its own", token: signJws(pointed, claims(), foreign.privateKey) },
    { name: "an extension that nobody knows", token: signed({ crit: ["exp"], exp: 1 }) },
    { name: "an unencoded payload", token: signed({ crit: ["b64"], b64: false }) },
    { name: "no algorithm", token: signed({ alg: undefined }) },
    { name: "an algorithm that is a list", token: signed({ alg: [alg] }) },
    { name: "an algorithm that is not allowed", token: signed({ alg: "PS256" }) },
    { name: "the algorithm of another key", token: signed({ alg: alg === "ES256" ? "RS256" : "ES256" }) },
  ];
}

function shapeAttacks({ claims, key: { alg, kid, privateKey } }: Target): readonly Attack[] {
  const header = { alg, kid };
  const good = signJws(header, claims(), privateKey);
  return [
    { name: "two parts", token: good.split(".").slice(0, 2).join(".") },
    { name: "four parts", token: `${good}.x` },
    { name: "five parts, as if encrypted", token: "e30.e30.e30.e30.e30" },
    { name: "dots", token: ".." },
    { name: "a header that is no JSON", token: good.replace(/^[^.]+/, "bm90IGpzb24") },
    { name: "a payload that is a list", token: signJws(header, [claims()], privateKey) },
    { name: "a payload that is a text", token: signJws(header, "claims", privateKey) },
    { name: "a payload that is null", token: signJws(header, null, privateKey) },
  ];
}

function claimAttacks({ claims, key: { alg, kid, privateKey } }: Target): readonly Attack[] {
  const now = Number(claims().iat);
  const changes: readonly (readonly [string, Json])[] = [
    ["expired", { exp: now - 60 }],
    ["without expiry", { exp: undefined }],
    ["an expiry that is text", { exp: String(now + 60) }],
    ["not yet valid", { nbf: now + 60 }],
    ["issued tomorrow", { iat: now + 86_400, exp: now + 90_000 }],
    ["issued before time", { iat: -1 }],
    ["an issue that is text", { iat: String(now) }],
    ["without issue", { iat: undefined }],
    ["a foreign issuer", { iss: "https://evil.example" }],
    ["a list of issuers", { iss: [claims().iss] }],
    ["without issuer", { iss: undefined }],
    ["another audience", { aud: "another" }],
    ["other audiences", { aud: ["another", "one more"] }],
    ["an audience that is an object", { aud: { "assay-test": true } }],
    ["without audience", { aud: undefined }],
    ...badTexts.map(([name, value]) => [`a subject that is ${name}`, { sub: value }] as const),
    ...badTexts.map(([name, value]) => [`an org that is ${name}`, { org_id: value }] as const),
    ...badTexts.map(([name, value]) => [`a role that is ${name}`, { org_role: value }] as const),
    ...badOptionals.map(([name, value]) => [`an email that is ${name}`, { email: value }] as const),
    ...badOptionals.map(([name, value]) => [`a name that is ${name}`, { name: value }] as const),
    ["without subject", { sub: undefined }],
    ["without org", { org_id: undefined }],
    ["without role", { org_role: undefined }],
    ["a role of the provider's own", { org_role: "org:billing" }],
    ["a compact org without a role", { org_id: undefined, o: { id: "org_one" } }],
    ["a compact org that is a list", { org_id: undefined, o: ["org_one", "admin"] }],
  ];
  return changes.map(([name, changed]) => ({
    name,
    token: signJws({ alg, kid }, claims(changed), privateKey),
  }));
}

const badOptionals: readonly (readonly [string, unknown])[] = [
  ["a number", 7],
  ["a list", ["a"]],
  ["an object", { a: "b" }],
  ["100 kB long", "x".repeat(100_000)],
  ["NUL", "a\0b"],
  ["half a surrogate pair", "\ud800"],
];
const badTexts = [
  ...badOptionals,
  ["empty", ""],
  ["null", null],
  ["300 characters long", "x".repeat(300)],
] as const;

function pemOf(key: KeyObject): string {
  return String(key.export({ type: "spki", format: "pem" }));
}
