const BYTES = 8;

/** Returns a random salt; experiments with different salts split users independently. */
export function makeSalt(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
