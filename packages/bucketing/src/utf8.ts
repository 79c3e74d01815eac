/**
 * Encodes a string as UTF-8, each byte a character from U+0000 to U+00FF. An unpaired surrogate becomes U+FFFD
 * (EF BF BD), as in every other language's client. Our own instead of TextEncoder, so that the frozen hash rests on no
 * platform feature; a string, since for such short texts an array costs more than they take to encode.
 */
export function encodeUtf8(text: string): string {
  let bytes = "";
  // A string is iterated by code points.
  for (const character of text) {
    const point = character.codePointAt(0)!;
    let rest = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
    let tail = "";
    // The first byte has room for what is less than 80, or after one, two, three further bytes for 20, 10, 08.
    let room = 0x80;
    while (rest >= room) {
      tail = String.fromCharCode(0x80 | (rest & 0x3f)) + tail;
      rest >>= 6;
      room = Math.min(0x20, room >> 1);
    }
    // Its other bits are ones and then a zero: C0, E0, F0, and none for ASCII.
    bytes += String.fromCharCode(0x100 - 2 * room + rest) + tail;
  }
  return bytes;
}
