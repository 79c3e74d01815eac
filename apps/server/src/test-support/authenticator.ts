import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

interface Options {
  readonly challenge: string;
  /** The origin of the requesting page. */
  readonly origin: string;
  /** The host name that the passkey is for. */
  readonly rpId: string;
}

interface Differing {
  readonly counter: number;
  readonly isUserVerified: boolean;
  readonly type: string;
  readonly crossOrigin: boolean;
}

/** An authenticator with one passkey, which answers as a real one does, and also what a real one would not. */
export interface TestAuthenticator {
  readonly id: string;
  create(options: Options, differing?: Partial<Differing>): object;
  get(options: Options, differing?: Partial<Differing>): object;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
const ES256 = -7;

/** Makes an authenticator whose passkey counts its uses from 1. */
export function createAuthenticator(): TestAuthenticator {
  const credentialId = randomBytes(32);
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const cose = new Map<number, number | Uint8Array>([
    ...([
      [1, 2],
      [3, ES256],
      [-1, 1],
    ] as const),
    [-2, new Uint8Array(Buffer.from(x, "base64url"))],
    [-3, new Uint8Array(Buffer.from(y, "base64url"))],
  ]);
  const id = credentialId.toString("base64url");
  let uses = 0;

  function authenticatorData(
    rpId: string,
    flags: number,
    { counter, isUserVerified = true }: Partial<Differing>,
  ) {
    uses += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? uses);
    const all = flags | USER_PRESENT | (isUserVerified ? USER_VERIFIED : 0);
    return Buffer.concat([sha256(rpId), Buffer.of(all), count]);
  }

  const envelope = { id, rawId: id, type: "public-key", clientExtensionResults: {} };
  return {
    id,
    create({ challenge, origin, rpId }, differing = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const credential = [Buffer.alloc(16), length, credentialId, Buffer.from(isoCBOR.encode(cose))];
      const authData = Buffer.concat([authenticatorData(rpId, HAS_CREDENTIAL, differing), ...credential]);
      const attestation = new Map<string, string | Uint8Array | Map<string, string>>([
        ["fmt", "none"],
        ["attStmt", new Map<string, string>()],
        ["authData", new Uint8Array(authData)],
      ]);
      const clientData = clientDataOf({ type: "webauthn.create", challenge, origin, ...differing });
      const response = {
        clientDataJSON: clientData.toString("base64url"),
        attestationObject: Buffer.from(isoCBOR.encode(attestation)).toString("base64url"),
        transports: ["internal"],
      };
      return { ...envelope, response };
    },
    get({ challenge, origin, rpId }, differing = {}) {
      const authData = authenticatorData(rpId, 0, differing);
      const clientData = clientDataOf({ type: "webauthn.get", challenge, origin, ...differing });
      const signature = sign("sha256", Buffer.concat([authData, sha256(clientData)]), privateKey);
      const response = {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: signature.toString("base64url"),
      };
      return { ...envelope, response };
    },
  };
}

interface ClientData extends Partial<Differing> {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
}

const clientDataOf = ({ type, challenge, origin, crossOrigin = false }: ClientData): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
