import fc from "fast-check";
import { expect, test } from "vitest";
import { asciiLowerCase } from "./ascii-lower-case.ts";

test.each([
  ["Ann@X.org", "ann@x.org"],
  ["\u212aate@x.org", "\u212aate@x.org"],
  ["\u0130an@x.org", "\u0130an@x.org"],
  ["\u0131an@x.org", "\u0131an@x.org"],
  ["\u00dcte@X.org", "\u00dcte@x.org"],
])("%s becomes %s", (text, lower) => expect(asciiLowerCase(text)).toBe(lower));

test("changes no character outside A to Z", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const others = (all: string) => all.replace(/[A-Za-z]/g, "");
      expect(others(asciiLowerCase(text))).toBe(others(text));
    }),
  );
});
