import { expect, test } from "vitest";
import { counted, countedOf, partText } from "./share-text.ts";

test("counts have separators of thousands, and a single thing its singular", () => {
  const words = { one: "user", many: "users" };
  expect([1, 2_000].map((count) => countedOf(count, words))).toEqual(["1 user", "2,000 users"]);
  expect(counted(1_234_567)).toBe("1,234,567");
  expect(partText(1_200, 96_000, "calls")).toBe("1,200 of 96,000 calls (1.25%)");
});
