import { expect, test } from "vitest";
import { normalSf } from "./distributions/normal.ts";
import { minimumDetectableEffect } from "./power.ts";

test("an effect of the size found is rejected four times out of five", () => {
  const effect = minimumDetectableEffect(2);
  expect(normalSf(1.959963984540054 - effect / 2)).toBeCloseTo(0.8, 12);
});
