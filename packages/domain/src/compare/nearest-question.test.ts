import { expect, test } from "vitest";
import { nearestTo, questionIndex } from "./nearest-question.ts";

test("a question whose words occur in no other has no nearest one", () => {
  const index = questionIndex([new Set(["can", "i", "pay"])]);
  expect(nearestTo(new Set(["where"]), index, () => true)).toBeNull();
  expect(nearestTo(new Set(["can", "i"]), index, () => true)).toEqual({ place: 0, likeness: 2 / 3 });
});
