import { MAX_HOLDS } from "@assay/domain";
import { expect, test } from "vitest";
import { holdLines, resumeLine } from "./hold.ts";

type Changed = Parameters<typeof holdLines>[0];
const held = (reason: string | null, count = 1): Changed => {
  const open = { from: "2026-03-02T09:00:00.000Z", to: null, reason, guardrail: null };
  return { name: "tone", status: "running", holds: Array(count).fill(open) };
};

test("a hold is printed with its reason", () => {
  const line = "tone has been held since 2026-03-02T09:00:00.000Z: nobody gets a variant.";
  expect(holdLines(held(null), undefined)).toEqual([line]);
  expect(holdLines(held("complaints"), undefined)).toEqual([`${line} complaints`]);
  expect(holdLines(held("complaints"), " complaints ")).toEqual([`${line} complaints`]);
  expect(holdLines(held(null, MAX_HOLDS), undefined)[1]).toMatch(/^This is the last of \d+ holds/);
});

test("a second hold says that its reason is not stored", () => {
  const [, remark] = holdLines(held("complaints"), "errors");
  expect(remark).toBe("It was held already, so the reason that you gave is not stored.");
});

test("only a running experiment gives users their variants when it is resumed", () => {
  expect(resumeLine(held(null))).toBe("tone is not held: users get their variants.");
  expect(resumeLine({ ...held(null), status: "stopped" })).toBe("tone is not held: its status is stopped.");
});
