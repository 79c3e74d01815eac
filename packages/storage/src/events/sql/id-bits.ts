import { createHash } from "node:crypto";

/** A UUID as RFC 9562 writes it: lower case, and a digit from 8 to b in front of its fourth group. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const HALF = 8;
const BYTES = 16;

/**
 * Returns the 128 bits that stand for an event's id, as hexadecimal digits. A UUID is its own bits in the order of its text, so that UUIDv7 stay in
 * order of time. Any other id is 120 bits of its SHA-256 around a byte that no such UUID has, so two ids with the same bits would be a collision of
 * SHA-256.
 */
export function idDigits(id: string): string {
  if (UUID.test(id)) return id.replaceAll("-", "");
  const hash = createHash("sha256").update(id).digest("hex");
  return `${hash.slice(0, 2 * HALF)}ff${hash.slice(2 * HALF, 2 * (BYTES - 1))}`;
}

/** Returns the same bits as bytes. */
export function idBits(id: string): Buffer {
  return Buffer.from(idDigits(id), "hex");
}

/** Writes the same as SQL, of type FixedString(16). `column` holds ids as text. A test compares both. */
export function idBitsSql(column: string): string {
  const uuid = `UUIDStringToNum(${column})`;
  const isUuid = `UUIDNumToString(${uuid}) = ${column} AND substring(${column}, 20, 1) IN ('8', '9', 'a', 'b')`;
  const hash = `SHA256(${column})`;
  const hashed = `concat(substring(${hash}, 1, ${HALF}), unhex('ff'), substring(${hash}, ${HALF + 1}, ${BYTES - 1 - HALF}))`;
  return `if(${isUuid}, ${uuid}, toFixedString(${hashed}, ${BYTES}))`;
}

const VERSION_DIGIT = 14;
const VERSION_BYTE = 6;

/** Whether an id is a UUIDv7. Most are, so this needs no bits. */
export function isTimeOrdered(id: string): boolean {
  return id[VERSION_DIGIT] === "7" && UUID.test(id);
}

/** Writes the same as SQL. `column` holds the 128 bits of an id. */
export function isTimeOrderedSql(column: string): string {
  const version = `bitShiftRight(reinterpretAsUInt8(substring(${column}, ${VERSION_BYTE + 1}, 1)), 4)`;
  return `${version} = 7 AND substring(${column}, ${HALF + 1}, 1) != unhex('ff')`;
}
