import { Email, Line, MetricName, operations, Tag, TEXT_RULES } from "@assay/contract";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { compileCheck, unreadable } from "./validate.ts";

const Guard = Type.Object({ rate: Type.Number({ minimum: 0 }) }, { additionalProperties: false });
const check = compileCheck(Type.Object({ guard: Type.Union([Guard, Type.Null()]) }));

test.each([
  { guard: {}, faults: [{ pointer: "/guard/rate", detail: "is required." }] },
  { guard: { rate: -1 }, faults: [{ pointer: "/guard/rate", detail: "must be >= 0." }] },
  { guard: { rate: 1, rat: 1 }, faults: [{ pointer: "/guard/rat", detail: "is not a known field." }] },
  { guard: 1, faults: [{ pointer: "/guard", detail: "must be object or null." }] },
  { guard: null, faults: [] },
])("$guard, where an object or null is expected", ({ guard, faults }) => {
  expect(check({ guard })).toEqual(faults);
});

test.each([
  {
    schema: Email,
    text: "bob@@x",
    detail: "must be an email address, such as ann@example.com.",
  },
  {
    schema: Line(10, 0),
    text: "a\nb",
    detail: "must be one line, without control characters.",
  },
  {
    schema: Line(10),
    text: "   ",
    detail: "must be one line that does not begin with a space, without control characters.",
  },
  { schema: MetricName, text: "a b", detail: "must have only letters, digits, _, . and -." },
  { schema: Tag, text: "team ", detail: "must not begin or end with a space." },
  { schema: Type.String({ minLength: 1 }), text: "", detail: "must not be empty." },
  { schema: Type.Array(Type.String(), { minItems: 1 }), text: [], detail: "must not be empty." },
  {
    schema: Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.Null()]),
    text: [],
    detail: "must not be empty.",
  },
  {
    schema: Type.Union([Type.String({ maxLength: 2 }), Type.Null()]),
    text: "abc",
    detail: "must not have more than 2 characters.",
  },
  {
    schema: Type.String({ maxLength: 10 }),
    text: "a".repeat(11),
    detail: "must not have more than 10 characters.",
  },
  { schema: Type.String({ pattern: "\\S" }), text: " ", detail: "must not be blank." },
  {
    schema: Type.String({ format: "uuid" }),
    text: "nope",
    detail: "must be a UUID, such as 0190a1b2-0000-7000-8000-000000000000.",
  },
  {
    schema: Type.String({ format: "date-time" }),
    text: "yesterday",
    detail: "must be a time, such as 2026-11-20T08:30:00Z.",
  },
  { schema: Type.String({ format: "date" }), text: "today", detail: "must be a day, such as 2026-11-20." },
  { schema: Type.String({ pattern: "^x$" }), text: "y", detail: 'must match pattern "^x$".' },
])("$detail, said of $text", ({ schema, text, detail }) => {
  expect(compileCheck(schema)(text)).toEqual([{ pointer: "", detail }]);
});

test("every pattern of the contract has words for a text that does not match it", () => {
  const patterns = new Set<string>();
  const collect = (schema: unknown): void => {
    if (typeof schema !== "object" || schema === null) return;
    for (const [name, value] of Object.entries(schema)) {
      if (name === "pattern" && typeof value === "string") patterns.add(value);
      collect(value);
    }
  };
  for (const { params, query, body } of operations) collect([params, query, body]);
  expect([...patterns].filter((pattern) => !TEXT_RULES.has(pattern))).toEqual([]);
});

test("a body that cannot be read is described once, in the detail and in its fault", () => {
  const error = unreadable("The body is empty: send JSON.");
  expect(error.message).toBe("The body is empty: send JSON.");
  expect(error.faults).toEqual([{ pointer: "", detail: "The body is empty: send JSON." }]);
});
