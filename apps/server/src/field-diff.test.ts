import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldDiff } from "./field-diff.ts";

const variants = [
  { key: "control", prompt: "A long prompt.", variables: { a: 1, b: 2 } },
  { key: "treatment", prompt: "Another.", variables: null },
];
const [control, treatment] = variants as [object, object];

test.each([
  ["equal values, whatever the order of their fields", { v: { a: 1, b: [2] } }, { v: { b: [2], a: 1 } }, {}],
  ["a value", { v: 1 }, { v: 2 }, { v: { from: 1, to: 2 } }],
  ["a record that is new", null, { v: [{ key: "a" }] }, { v: { from: null, to: [{ key: "a" }] } }],
  [
    "one field of one named item",
    { v: variants },
    { v: [control, { ...treatment, prompt: "Better." }] },
    {
      v: { from: [{ key: "treatment", prompt: "Another." }], to: [{ key: "treatment", prompt: "Better." }] },
    },
  ],
  [
    "an item more",
    { v: variants },
    { v: [...variants, { key: "third", prompt: "New." }] },
    { v: { from: [], to: [{ key: "third", prompt: "New." }] } },
  ],
  ["an item less", { v: variants }, { v: [control] }, { v: { from: [treatment], to: [] } }],
  [
    "a new order",
    { v: variants },
    { v: variants.toReversed() },
    { v: { from: ["control", "treatment"], to: ["treatment", "control"] } },
  ],
  [
    "a field that an item had not",
    { v: [{ name: "m" }] },
    { v: [{ name: "m", cap: 1 }] },
    { v: { from: [{ name: "m" }], to: [{ name: "m", cap: 1 }] } },
  ],
  ["a list without names", { v: [1, 2] }, { v: [1, 3] }, { v: { from: [1, 2], to: [1, 3] } }],
  [
    "a list with a name twice",
    {
      v: [
        { key: "a", x: 1 },
        { key: "a", x: 2 },
      ],
    },
    { v: [{ key: "a", x: 1 }] },
    {
      v: {
        from: [
          { key: "a", x: 1 },
          { key: "a", x: 2 },
        ],
        to: [{ key: "a", x: 1 }],
      },
    },
  ],
] as [string, object | null, object, object][])("%s", (_name, from, to, expected) => {
  expect(fieldDiff(from, to, ["v"])).toEqual(expected);
});

test("distinguishes an empty list from an empty record", () => {
  expect(fieldDiff({ v: [] }, { v: {} }, ["v"])).toEqual({ v: { from: [], to: {} } });
});

test("lists a field exactly when its values differ", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const isSame = JSON.stringify(sorted(a ?? null)) === JSON.stringify(sorted(b ?? null));
      expect(Object.keys(fieldDiff({ v: a }, { v: b }, ["v"]))).toEqual(isSame ? [] : ["v"]);
    }),
  );
});

/** The value with the fields of its records in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, inner]) => [field, sorted(inner)]);
  return { fields };
}
