/**
 * Encodes a string as UTF-8. An unpaired surrogate becomes U+FFFD (EF BF BD), as in every other language's client.
 * Our own instead of TextEncoder, so that the frozen hash rests on no platform feature; a plain array, since a typed
 * array costs more to allocate than such short texts take to encode.
 */
export function encodeUtf8(text: string): number[] {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const point = scalarAt(text, i);
    if (point < 0x80) {
      bytes.push(point);
    } else if (point < 0x800) {
      bytes.push(0xc0 | (point >> 6), continuation(point));
    } else if (point < 0x10000) {
      bytes.push(0xe0 | (point >> 12), continuation(point >> 6), continuation(point));
    } else {
      bytes.push(
        0xf0 | (point >> 18),
        continuation(point >> 12),
        continuation(point >> 6),
        continuation(point),
      );
      i++; // a surrogate pair is two units
    }
  }
  return bytes;
}

/** Returns the Unicode scalar value that starts at `index`; codePointAt leaves an unpaired surrogate as it is. */
function scalarAt(text: string, index: number): number {
  const point = text.codePointAt(index)!;
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
}

function continuation(bits: number): number {
  return 0x80 | (bits & 0x3f);
}
