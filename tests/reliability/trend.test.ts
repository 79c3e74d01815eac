import { expect, test } from "vitest";
import { cycleMinima, median, theilSenSlope } from "./trend.ts";

test.each([
  { name: "a line", ys: [1, 3, 5, 7], slope: 2 },
  { name: "a flat line with one outlier", ys: [4, 4, 90, 4, 4], slope: 0 },
  { name: "a falling line", ys: [3, 2, 1], slope: -1 },
])("the slope of $name", ({ ys, slope }) => {
  expect(theilSenSlope(ys.map((y, x) => [x, y] as const))).toBe(slope);
});

test.each([
  { values: [3, 1, 2], middle: 2 },
  { values: [4, 1, 2, 3], middle: 2.5 },
  { values: [7], middle: 7 },
])("the median of $values is $middle", ({ values, middle }) => expect(median(values)).toBe(middle));

test("each whole cycle between major collections counts with its lowest reading", () => {
  const readings = [
    { major: 4, bytes: 1 },
    { major: 5, bytes: 30 },
    { major: 5, bytes: 20 },
    { major: 5, bytes: 90 },
    { major: 7, bytes: 21 },
    { major: 7, bytes: 95 },
    { major: 8, bytes: 2 },
  ].map((reading, index) => ({ ...reading, atMs: index }));
  expect(cycleMinima(readings, ({ bytes }) => bytes).map(({ atMs }) => atMs)).toEqual([2, 4]);
});
