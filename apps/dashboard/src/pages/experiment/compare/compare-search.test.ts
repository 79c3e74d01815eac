import { expect, test } from "vitest";
import { orderOf, pairOf, shuffled } from "./compare-search.ts";

test("an order that does not exist is the usual one", () => {
  expect(orderOf({ order: "failed" })).toBe("failed");
  expect(orderOf({ order: "best" })).toBe("difference");
  expect(orderOf({})).toBe("difference");
});

test("ids with any character are written so that they can be taken apart", () => {
  expect(pairOf({ answers: [{ event_id: "a,b" }, { event_id: "100 %" }] })).toBe("a%2Cb,100%20%25");
});

test("the order of answers does not tell their variants", () => {
  const pairs = Array.from({ length: 1_000 }, (_, index) => [
    { event_id: `demo-${index}-1`, variant: "control" },
    { event_id: `demo-${index + 1}-1`, variant: "concise" },
  ]);
  const firstIsControl = pairs.filter((answers) => shuffled(answers)[0]?.variant === "control").length;
  expect(firstIsControl).toBeGreaterThan(430);
  expect(firstIsControl).toBeLessThan(570);
  for (const answers of pairs) expect(shuffled(answers.toReversed())).toEqual(shuffled(answers));
});
