import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { SealBinding } from "@assay/domain";

/** Begins what previous versions sealed, bound to nothing. */
export const UNBOUND = "v1.";
const VERSION = "v2";

/** Encrypts small secrets at rest, and fingerprints texts so that they can be compared without being stored. */
export interface Sealer {
  seal(plain: string, binding: SealBinding): string;
  /** Decrypts. Null when the text was encrypted with another master key or binding, or was altered. */
  open(sealed: string, binding: SealBinding): string | null;
  /** Computes a keyed hash that is equal for equal texts: HMAC-SHA256, in hex. */
  fingerprint(text: string): string;
}

/**
 * Makes a sealer of AES-256-GCM under the master key (32 bytes): `v2.<nonce>.<tag>.<ciphertext>`, base64url, with the binding as
 * additional authenticated data. It also opens `v1`, which has none (`bind-seals.ts`).
 */
export function createSealer(masterKey: Buffer): Sealer {
  // Derive a separate key for each purpose.
  const fingerprintKey = Buffer.from(hkdfSync("sha256", masterKey, "", "assay fingerprint", 32));
  return {
    seal(plain, binding) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", masterKey, nonce).setAAD(boundTo(binding));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return [
        VERSION,
        ...[nonce, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url")),
      ].join(".");
    },
    open(sealed, binding) {
      const [version, ...parts] = sealed.split(".");
      const [nonce, tag, text] = parts.map((part) => Buffer.from(part, "base64url"));
      const isBound = version === VERSION;
      if (!isBound && `${version}.` !== UNBOUND) return null;
      if (!nonce || !tag || !text || tag.length !== 16) return null;
      try {
        const decipher = createDecipheriv("aes-256-gcm", masterKey, nonce);
        decipher.setAuthTag(tag);
        if (isBound) decipher.setAAD(boundTo(binding));
        return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
      } catch {
        return null; // The tag does not match: another key or binding, or altered bytes.
      }
    },
    fingerprint: (text) => createHmac("sha256", fingerprintKey).update(text, "utf8").digest("hex"),
  };
}

/** JSON, so that no two bindings have the same bytes. */
const boundTo = ({ purpose, orgId }: SealBinding): Buffer => Buffer.from(JSON.stringify([purpose, orgId]));
