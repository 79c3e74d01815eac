import { expect, test } from "vitest";
import { samplingProbability } from "./sampling.ts";

test.each([
  ["ot=th:0", 1],
  ["ot=th:8", 0.5],
  ["ot=th:c", 0.25],
  ["ot=th:e6666666666666", 0.1],
  ["ot=th:fd70a3d70a3d71", 0.01],
  ["ot=th:ffffffffffffff", 2 ** -56],
  ["vendor=a:b;th:8, ot=rv:abcdef12345678;th:c;x:y,other=1", 0.25],
])("%s keeps a share of %s", (traceState, probability) => {
  expect(samplingProbability(traceState)).toBeCloseTo(probability, 12);
});

test.each([
  "",
  "vendor=th:8",
  "ot=rv:abcdef12345678",
  "ot=th:",
  "ot=th:C",
  "ot=th:0123456789abcde",
  "ot=th:-1",
  "ot=p:8;r:62",
])("%j says nothing", (traceState) => {
  expect(samplingProbability(traceState)).toBeNull();
});
