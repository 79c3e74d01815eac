import { expect, test } from "vitest";
import { allocationInWords } from "./allocation.ts";
import { isolated } from "./isolated.ts";

test.each([
  ["concise", "concise"],
  ["قصير", "\u2068قصير\u2069"],
  ["v2-קצר", "\u2068v2-קצר\u2069"],
  ["短い", "短い"],
])("%s", (name, shown) => expect(isolated(name)).toBe(shown));

test("the share of a right-to-left variant stays behind its name", () => {
  const allocation = ["קצר", "ארוך"].map((variant) => ({ variant, weight: 1 }));
  const effective_allocation = { קצר: 0.6, ארוך: 0.4 };
  const words = allocationInWords({ allocation, effective_allocation, bucket_count: 1000 });
  expect(words).toContain("In force: \u2068קצר\u2069 60%, \u2068ארוך\u2069 40% of all users.");
});
