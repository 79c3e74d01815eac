import { expect, test } from "vitest";
import document from "../../../../docs/openapi.json" with { type: "json" };
import { holdsLeftInWords, MAX_HOLDS } from "./holds.ts";

test.each([
  [1, null],
  [44, null],
  [45, "This is hold 45 of 50. The last one cannot be resumed."],
  [49, "This is hold 49 of 50. The last one cannot be resumed."],
  [50, expect.stringContaining("it cannot be resumed. Stop the experiment")],
])("of hold %i says %s", (n, words) => {
  expect(holdsLeftInWords(n)).toEqual(words);
});

test("the service has as many", () => {
  expect(document.components.schemas.Experiment.properties.holds.maxItems).toBe(MAX_HOLDS);
});
