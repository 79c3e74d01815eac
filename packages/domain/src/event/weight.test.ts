import { expect, test } from "vitest";
import { weightOfEvent } from "./weight.ts";

test.each([
  [null, 1],
  [1, 1],
  [0.1, 10],
  [2 ** -20, 2 ** 20],
  [2 ** -56, 2 ** 20],
  [Number.MIN_VALUE, 2 ** 20],
])("an event that is kept with a probability of %d counts for %d", (probability, weight) => {
  expect(weightOfEvent(probability)).toBe(weight);
});
