import fc from "fast-check";
import { expect, test } from "vitest";
import { finderOf } from "./find-text.ts";

test("it finds what the runtime's own search finds, short and long, from any position", () => {
  // Few letters and long repeats: nearly every character starts a match that fails.
  const ab = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  const repeated = fc.tuple(ab, fc.integer({ min: 1, max: 12 })).map(([unit, times]) => unit.repeat(times));
  const text = fc.array(repeated, { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, fc.nat(40), fc.nat(200), (text, noise, start, length) => {
      for (const wanted of [text.slice(start, start + length), noise]) {
        fc.pre(wanted !== "");
        const find = finderOf(wanted);
        for (const from of [0, 1, start]) expect(find(text, from)).toBe(text.indexOf(wanted, from));
      }
    }),
    { numRuns: 2_000 },
  );
});

/** A text that counts how often its characters are read, to measure a search's cost without a clock. */
function countedText(text: string) {
  const counted = {
    reads: 0,
    length: text.length,
    charCodeAt(at: number) {
      counted.reads += 1;
      return text.charCodeAt(at);
    },
  };
  return counted;
}

test.each([
  { name: "one that differs in the middle", wanted: (n: number) => `${"a".repeat(n)}b${"a".repeat(n)}` },
  { name: "one that differs at its start", wanted: (n: number) => `b${"a".repeat(2 * n)}` },
  { name: "one that differs at its end", wanted: (n: number) => `${"a".repeat(2 * n)}b` },
  { name: "one with a period", wanted: (n: number) => `${"aab".repeat(n)}c` },
])("a search twice as long reads twice as much: $name", ({ wanted }) => {
  for (const n of [64, 128, 256, 512, 1024]) {
    const text = countedText("aab".repeat(n) + "a".repeat(2 * n));
    const sought = countedText(wanted(n));
    finderOf(sought as unknown as string)(text as unknown as string, 0);
    expect(text.reads).toBe(text.length);
    expect(sought.reads).toBeLessThanOrEqual(3 * (text.length + 2 * sought.length));
  }
});
