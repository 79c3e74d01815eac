import { createHash } from "node:crypto";

/** A UUID as RFC 9562 writes it: in lower case, and with a fourth group that begins with a digit from 8 to b. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const HALF = 8;
/** The length of an id's bits. */
export const ID_BYTES = 16;
/** A UUIDv7 begins with the milliseconds since the epoch. */
const MADE_AT_BYTES = 6;

/**
 * Returns 128 bits for an event's id, as hexadecimal digits. A UUID gives its own bits in the order of its text, so UUIDv7 stay
 * in time order. Any other id gives 120 bits of its SHA-256, with a byte between them that no such UUID has at that place. So two
 * ids have the same bits only if SHA-256 collides.
 */
export function idDigits(id: string): string {
  if (UUID.test(id)) return id.replaceAll("-", "");
  const hash = createHash("sha256").update(id).digest("hex");
  return `${hash.slice(0, 2 * HALF)}ff${hash.slice(2 * HALF, 2 * (ID_BYTES - 1))}`;
}

/** Returns the same bits as bytes. It runs for every event, and `Buffer.from` takes four times as long for a UUID. */
export function idBits(id: string): Buffer {
  if (!UUID.test(id)) return Buffer.from(idDigits(id), "hex");
  const bits = Buffer.allocUnsafe(ID_BYTES);
  for (let byte = 0; byte < ID_BYTES; byte++) {
    const at = BYTE_AT[byte]!;
    bits[byte] = (digitOf(id.charCodeAt(at)) << 4) | digitOf(id.charCodeAt(at + 1));
  }
  return bits;
}

/** The position of each byte's two digits in the text of a UUID. */
const BYTE_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const CODE_OF_0 = 48;
const CODE_OF_A = 97;

/** Returns the value of a hexadecimal digit in lower case, by its code. */
function digitOf(code: number): number {
  return code < CODE_OF_A ? code - CODE_OF_0 : code - CODE_OF_A + 10;
}

/** Returns when a UUIDv7 was made (epoch milliseconds), from its bits. */
export function madeAt(bits: Buffer, offset = 0): number {
  return bits.readUIntBE(offset, MADE_AT_BYTES);
}

/** Returns the smallest bits of a UUIDv7 that was made at an instant (epoch milliseconds). */
export function firstBitsOf(at: number): Buffer {
  const bits = Buffer.alloc(ID_BYTES);
  bits.writeUIntBE(at, 0, MADE_AT_BYTES);
  return bits;
}

/** Writes `idBits` as SQL, of type FixedString(16). `column` has ids as text. A test compares both. */
export function idBitsSql(column: string): string {
  const uuid = `UUIDStringToNum(${column})`;
  const isUuid = `UUIDNumToString(${uuid}) = ${column} AND substring(${column}, 20, 1) IN ('8', '9', 'a', 'b')`;
  const hash = `SHA256(${column})`;
  const hashed = `concat(substring(${hash}, 1, ${HALF}), unhex('ff'), substring(${hash}, ${HALF + 1}, ${ID_BYTES - 1 - HALF}))`;
  return `if(${isUuid}, ${uuid}, toFixedString(${hashed}, ${ID_BYTES}))`;
}

const VERSION_BYTE = 6;

/** Returns whether bits are those of a UUIDv7. */
export function isTimeOrdered(bits: Buffer): boolean {
  return bits[VERSION_BYTE]! >> 4 === 7 && bits[HALF] !== 0xff;
}

/** Writes `isTimeOrdered` as SQL. `column` has the bits. */
export function isTimeOrderedSql(column: string): string {
  const version = `bitShiftRight(reinterpretAsUInt8(substring(${column}, ${VERSION_BYTE + 1}, 1)), 4)`;
  return `${version} = 7 AND substring(${column}, ${HALF + 1}, 1) != unhex('ff')`;
}
