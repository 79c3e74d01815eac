import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeUtf8 } from "./utf8.ts";

interface Utf8Case {
  readonly name: string;
  readonly text?: string;
  readonly utf16: readonly number[];
  readonly hex: string;
}

const vectors = new URL("../../../vectors/utf8.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, "utf8")) as { cases: Utf8Case[] };

describe("encodeUtf8", () => {
  test.each(cases)("vector: $name", ({ text, utf16, hex }) => {
    const fromUnits = String.fromCharCode(...utf16);
    expect(Buffer.from(encodeUtf8(fromUnits), "latin1").toString("hex")).toBe(hex);
    if (text !== undefined) expect(fromUnits).toBe(text);
  });

  test("gives the bytes of TextEncoder for any string, well-formed or not", () => {
    const encoder = new TextEncoder();
    const anyUnit = fc.integer({ min: 0, max: 0xffff });
    const surrogate = fc.integer({ min: 0xd800, max: 0xdfff });
    const anyString = fc
      .array(fc.oneof(anyUnit, surrogate, fc.integer({ min: 0, max: 0x7f })))
      .map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(anyString, (text) => {
        expect([...Buffer.from(encodeUtf8(text), "latin1")]).toEqual([...encoder.encode(text)]);
      }),
      { numRuns: 1000 },
    );
  });
});
