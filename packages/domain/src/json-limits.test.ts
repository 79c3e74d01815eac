import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonLimits, measureJson } from "./json-limits.ts";

const limits: JsonLimits = { depth: 3, containers: 5, values: 8 };
const bytes = (text: string) => new TextEncoder().encode(text);
const exceeded = (text: string) => measureJson(bytes(text), limits).excess;

describe("a JSON text is measured before it is parsed", () => {
  test.each([
    { text: "[[[0]]]", said: null },
    { text: "[[[[", said: "has more than 3 levels: nest less." },
    { text: '{"a":{"b":[{', said: "has more than 3 levels: nest less." },
    { text: "[[],[],{},[]]", said: null },
    { text: "[[],[],{},[],[]]", said: "has more than 5 lists and objects: send fewer at a time." },
    { text: "[0,0,0,0,0,0,0,0]", said: null },
    { text: "[0,0,0,0,0,0,0,0,0]", said: "has more than 8 values: send fewer at a time." },
    { text: '{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0}', said: null },
    { text: '"[[[[[[,,,,,,,,,"', said: null },
    { text: String.raw`["\"[[[[","\\",[[[`, said: "has more than 3 levels: nest less." },
    { text: String.raw`"a\"[[[[`, said: null },
    { text: '"ends with an escape \\', said: null },
    { text: "", said: null },
    { text: "not JSON", said: null },
    { text: "]]]][[[[", said: null },
  ])("$text", ({ text, said }) => expect(exceeded(text)).toBe(said));
});

/** The depth and counts of a parsed value, counted on the value itself. */
function shapeOf(value: unknown): JsonLimits {
  if (typeof value !== "object" || value === null) return { depth: 0, containers: 0, values: 0 };
  const shapes = Object.values(value).map(shapeOf);
  const sum = (of: (shape: JsonLimits) => number) => shapes.reduce((total, shape) => total + of(shape), 0);
  return {
    depth: 1 + Math.max(0, ...shapes.map(({ depth }) => depth)),
    containers: 1 + sum(({ containers }) => containers),
    values: shapes.length + sum(({ values }) => values),
  };
}

test("values are counted; an empty list counts as one", () => {
  expect(measureJson(bytes('[1,{"a":2,"b":[]}]'), limits)).toMatchObject({ excess: null, values: 5 });
});

test("a text that passes is within the limits, and a text clearly below them passes", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
      const { depth, containers, values } = shapeOf(value);
      const passes = exceeded(JSON.stringify(value, null, indent)) === null;
      if (passes) expect([depth <= 3, containers <= 5, values <= 8]).toEqual([true, true, true]);
      // Counting commas cannot detect empty lists, so each counts as one value.
      else expect(depth > 3 || containers > 5 || values + containers > 8).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("each byte is read at most twice, however it is nested", () => {
  const reads = (text: string) => {
    let count = 0;
    const counted = new Proxy(bytes(text), {
      get(target, name) {
        if (typeof name === "string" && /^\d+$/.test(name)) count += 1;
        return Reflect.get(target, name, target);
      },
    });
    measureJson(counted, { depth: 1e9, containers: 1e9, values: 1e9 });
    return count;
  };
  for (const unit of ["[", '{"a":', '"', '\\"', '"\\', ",", "[]", '["a",']) {
    for (const times of [100, 200, 400]) {
      const text = unit.repeat(times);
      expect(reads(text)).toBeLessThanOrEqual(2 * text.length);
    }
  }
});
