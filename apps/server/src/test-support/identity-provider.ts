import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
  sign,
} from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@assay/domain";
import { DEFAULT_CLAIMS, type ProviderSettings } from "../settings/identity-settings.ts";

const ALGORITHMS = ["RS256", "ES256", "EdDSA"] as const;
export type TestAlgorithm = (typeof ALGORITHMS)[number];
type Json = Readonly<Record<string, unknown>>;

export interface TestKey {
  readonly kid: string;
  readonly alg: TestAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicJwk: JsonWebKey;
}

/** How the provider answers requests for its keys. */
type KeysAnswer = "keys" | "error" | "redirect" | "no-json" | "no-key-set" | "no-answer";

/** An identity provider on a port of this machine: publishes its keys as a JWKS and signs any claims. */
export interface TestIdentityProvider {
  /** For `openTestService({ identity })`. */
  readonly settings: ProviderSettings;
  /** How often its keys were fetched. */
  readonly fetches: number;
  /** The claims of a good token of now, with these instead; undefined leaves one out. */
  claims(changed?: Json): Json;
  /** A token with such claims and such a header, signed with the key of the algorithm. */
  token(changed?: Json, header?: Json, alg?: TestAlgorithm): string;
  key(alg: TestAlgorithm): TestKey;
  /** Withdraws all keys and publishes new ones. */
  rotate(): void;
  /** Publishes these besides its own. */
  publish(jwk: JsonWebKey): void;
  answerWith(answer: KeysAnswer): void;
  stop(): Promise<void>;
}

/** Starts an identity provider whose tokens are of the clock's time. */
export async function startIdentityProvider(
  clock: Clock = { now: () => Date.now() },
  kind: ProviderSettings["kind"] = "oidc",
): Promise<TestIdentityProvider> {
  let keys = makeKeys();
  let extra: JsonWebKey[] = [];
  let answer: KeysAnswer = "keys";
  let fetches = 0;
  const server = createServer((_request, response) => {
    fetches += 1;
    answerKeys(response, answer, [...keys.map(({ publicJwk }) => publicJwk), ...extra]);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { kind, issuer, audience: "assay-test", jwksUrl: `${issuer}/jwks` } as const;
  const claims = (changed: Json = {}) => ({ ...goodClaims(settings, clock), ...changed });
  const key = (alg: TestAlgorithm) => keys.find((one) => one.alg === alg) as TestKey;
  return {
    settings: { ...settings, claims: DEFAULT_CLAIMS, client: null, webhookSecret: null, api: null },
    get fetches() {
      return fetches;
    },
    claims,
    key,
    token: (changed, header, alg = "RS256") =>
      signJws({ alg, kid: key(alg).kid, typ: "JWT", ...header }, claims(changed), key(alg).privateKey),
    rotate() {
      keys = makeKeys();
      extra = [];
    },
    publish: (jwk) => void extra.push(jwk),
    answerWith(next) {
      answer = next;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function goodClaims({ issuer, audience }: Pick<ProviderSettings, "issuer" | "audience">, clock: Clock) {
  const now = Math.floor(clock.now() / 1000);
  return {
    iss: issuer,
    aud: audience,
    sub: "user_ann",
    org_id: "org_one",
    org_role: "admin",
    email: "Ann@x.org",
    name: "Ann",
    iat: now,
    nbf: now,
    exp: now + 60,
  };
}

function makeKeys(): readonly TestKey[] {
  return ALGORITHMS.map((alg) => makeKey(alg));
}

/** Makes a key pair of the algorithm. */
export function makeKey(alg: TestAlgorithm, kid: string = randomUUID()): TestKey {
  const privateKey = makePrivateKey(alg);
  const publicJwk = { ...createPublicKey(privateKey).export({ format: "jwk" }), kid, alg, use: "sig" };
  return { kid, alg, privateKey, publicJwk };
}

function makePrivateKey(alg: TestAlgorithm): KeyObject {
  if (alg === "RS256") return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  if (alg === "ES256") return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  return generateKeyPairSync("ed25519").privateKey;
}

/** Writes a JWS of any header and payload, signed by the kind of the key: bytes make HMAC-SHA256, null no signature. */
export function signJws(header: Json, payload: unknown, key: KeyObject | Uint8Array | null): string {
  const data = [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${data}.${signature(Buffer.from(data), key).toString("base64url")}`;
}

function signature(data: Buffer, key: KeyObject | Uint8Array | null): Buffer {
  if (key === null) return Buffer.alloc(0);
  if (key instanceof Uint8Array) return createHmac("sha256", key).update(data).digest();
  if (key.asymmetricKeyType === "ed25519") return sign(null, data, key);
  return sign("sha256", data, { key, dsaEncoding: "ieee-p1363" });
}

function answerKeys(response: ServerResponse, answer: KeysAnswer, keys: readonly JsonWebKey[]): void {
  const bodies: Partial<Record<KeysAnswer, string>> = {
    keys: JSON.stringify({ keys }),
    "no-json": "<html>Sign in</html>",
    "no-key-set": '{"issuer":"somebody"}',
  };
  const body = bodies[answer];
  if (body !== undefined) response.writeHead(200, { "content-type": "application/json" }).end(body);
  else if (answer === "error") response.writeHead(500).end();
  else if (answer === "redirect") response.writeHead(302, { location: "https://example.org/jwks" }).end();
  // "no-answer": the connection stays open until the caller gives up, or the provider stops.
}
