const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const LAST_INSTANT = 2 ** 48 - 1;

/** Makes a UUIDv7 (RFC 9562) for an instant in epoch milliseconds; an instant outside its 48 bits is clamped. */
export function uuidv7(epochMs: number): string {
  const bytes = randomBytes(16);
  let rest = Math.min(LAST_INSTANT, Math.max(0, Math.floor(epochMs) || 0));
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  let text = "";
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += "-";
    text += HEX[bytes[i]!];
  }
  return text;
}

/** Node 18 has no global crypto. Math.random will do there: an event id must be unique, not unguessable. */
function randomBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  if (typeof crypto === "object") return crypto.getRandomValues(bytes);
  return bytes.map(() => Math.floor(Math.random() * 256));
}
