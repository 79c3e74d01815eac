import { expect, test } from "vitest";
import { readDecimalComma } from "./decimal-comma.ts";

test.each([
  ["66,7", 66.7],
  ["$2,50", 2.5],
  ["-0,125", -0.125],
  ["1234,567", 1234.567],
  ["3,2415 ms", 3.2415],
  ["1.234,5", 1234.5],
  ["1,000", null],
  ["1,000,000", null],
  ["1,000.5", null],
  ["66.7", null],
  ["66,", null],
  ["", null],
])("%s is %s", (text, value) => expect(readDecimalComma(text)).toBe(value));
