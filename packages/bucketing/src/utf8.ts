/** The part of TextEncoder that is used. Clients declare it in their packages, which do not have its type. */
interface Utf8Encoder {
  encode(text: string): Uint8Array;
  encodeInto(text: string, place: Uint8Array): { readonly read: number };
}

export const UTF_8: Utf8Encoder = new TextEncoder();

/**
 * Encodes a string as UTF-8, each byte a character from U+0000 to U+00FF. An unpaired surrogate becomes U+FFFD (EF BF
 * BD), as in the clients of all languages.
 */
export function encodeUtf8(text: string): string {
  let bytes = "";
  for (const byte of UTF_8.encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}
