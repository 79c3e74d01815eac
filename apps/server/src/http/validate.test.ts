import { Type } from "typebox";
import { expect, test } from "vitest";
import { compileCheck } from "./validate.ts";

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
