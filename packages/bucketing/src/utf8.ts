/**
 * Encodes a string as UTF-8, each byte a character from U+0000 to U+00FF. An unpaired surrogate becomes U+FFFD (EF BF
 * BD), as in the clients of all languages. It is our own instead of TextEncoder, so that the frozen hash depends on no
 * platform feature. It returns a string, because creating an array takes longer than encoding such short texts.
 */
export function encodeUtf8(text: string): string {
  let bytes = "";
  // A string is iterated by code points.
  for (const character of text) {
    const point = character.codePointAt(0)!;
    let rest = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
    let tail = "";
    // The first byte has room for values below 80 (hex), or below 20, 10, 08 when one, two, three bytes
    // follow.
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
