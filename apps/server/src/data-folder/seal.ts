import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "v1";

/** Encrypts small secrets at rest, and fingerprints texts so that they can be compared without being stored. */
export interface Sealer {
  seal(plain: string): string;
  /** Decrypts; null when the text was encrypted with another master key, or was altered. */
  open(sealed: string): string | null;
  /** Computes a keyed hash that is equal for equal texts: HMAC-SHA256, in hex. */
  fingerprint(text: string): string;
}

/** Makes a sealer of AES-256-GCM under the master key (32 bytes): `v1.<nonce>.<tag>.<ciphertext>`, base64url. */
export function createSealer(masterKey: Buffer): Sealer {
  // Derive a separate key for each purpose.
  const fingerprintKey = Buffer.from(hkdfSync("sha256", masterKey, "", "assay fingerprint", 32));
  return {
    seal(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", masterKey, nonce);
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return [
        VERSION,
        ...[nonce, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url")),
      ].join(".");
    },
    open(sealed) {
      const [version, ...parts] = sealed.split(".");
      const [nonce, tag, text] = parts.map((part) => Buffer.from(part, "base64url"));
      if (version !== VERSION || !nonce || !tag || !text || tag.length !== 16) return null;
      try {
        const decipher = createDecipheriv("aes-256-gcm", masterKey, nonce);
        decipher.setAuthTag(tag);
        return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
      } catch {
        return null; // The tag does not match: another key, or altered bytes.
      }
    },
    fingerprint: (text) => createHmac("sha256", fingerprintKey).update(text, "utf8").digest("hex"),
  };
}
