import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { murmur3, murmur3OfBytes } from "./murmur3.ts";

interface HashCase {
  readonly name?: string;
  readonly text?: string;
  readonly utf16?: readonly number[];
  readonly hex: string;
  readonly seed: number;
  readonly hash: number;
}

const vectors = new URL("../../../vectors/murmur3.json", import.meta.url);
const file = JSON.parse(readFileSync(vectors, "utf8")) as {
  smhasher_verification: string;
  cases: HashCase[];
};

/** The string of a case; null when its bytes are not valid UTF-8. */
function stringOf({ text, utf16 }: HashCase): string | null {
  return utf16 ? String.fromCharCode(...utf16) : (text ?? null);
}

const bytesOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

describe("murmur3", () => {
  test.each(file.cases)("vector $#: $hex with seed $seed", (hashCase) => {
    expect(murmur3OfBytes(bytesOf(Buffer.from(hashCase.hex, "hex")), hashCase.seed)).toBe(hashCase.hash);
  });

  test.each(file.cases.filter((hashCase) => stringOf(hashCase) !== null))(
    "vector $#, as a string: $hex with seed $seed",
    (hashCase) => expect(murmur3(stringOf(hashCase)!, hashCase.seed)).toBe(hashCase.hash),
  );

  test("passes the verification of SMHasher", () => {
    const hashes = new DataView(new ArrayBuffer(256 * 4));
    for (let length = 0; length < 256; length++) {
      const key = Uint8Array.from({ length }, (_, i) => i);
      hashes.setUint32(length * 4, murmur3OfBytes(bytesOf(key), 256 - length), true);
    }
    const verification = murmur3OfBytes(bytesOf(new Uint8Array(hashes.buffer)), 0);
    expect(verification).toBe(Number.parseInt(file.smhasher_verification, 16));
  });

  test("hashes a string as its UTF-8 bytes on both paths", () => {
    const mostlyAscii = fc
      .array(fc.oneof({ weight: 9, arbitrary: fc.nat(0x7f) }, { weight: 1, arbitrary: fc.nat(0xffff) }))
      .map((units) => String.fromCharCode(...units));
    const seed = fc.nat(0xffffffff);
    const encoder = new TextEncoder();
    fc.assert(
      fc.property(
        mostlyAscii,
        seed,
        (text, s) => murmur3(text, s) === murmur3OfBytes(bytesOf(encoder.encode(text)), s),
      ),
      { numRuns: 2000 },
    );
  });
});
