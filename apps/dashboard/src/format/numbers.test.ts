import { describe, expect, test } from "vitest";
import {
  count,
  counted,
  dollars,
  interval,
  milliseconds,
  number,
  percent,
  pValue,
  signed,
} from "./numbers.ts";

const NO_BREAK = /\u00a0/g;
const plain = (text: string | null) => text?.replace(NO_BREAK, " ") ?? null;

test.each([
  [0, "0"],
  [-0.0, "0"],
  [1234.5, "1,235"],
  [12.345, "12.3"],
  [-0.012345, "\u22120.0123"],
  [Number.NaN, "–"],
])("number %d", (value, written) => expect(number(value)).toBe(written));

test.each([
  [12_345, "12,345"],
  [-0.4, "0"],
  [-3, "\u22123"],
])("count %d", (value, written) => expect(count(value)).toBe(written));

test("one of a thing is one", () => {
  expect(plain(counted(1, "user"))).toBe("1 user");
  expect(plain(counted(2, "day"))).toBe("2 days");
});

describe("signs", () => {
  test.each([
    [8.2, "+8"],
    [0.3, "0"],
    [0, "0"],
    [-0.3, "0"],
    [-8.2, "\u22128"],
  ])("signed %d", (value, written) => expect(signed(value, count)).toBe(written));
});

test.each([
  [0.1234, "12.3%"],
  [1, "100%"],
  [-0.05, "\u22125%"],
])("percent %d", (share, written) => expect(plain(percent(share))).toBe(written));

test.each([
  [0.00001, false, "< 0.0001"],
  [0.0005, true, "≤ 0.0005"],
  [0.0312, false, "0.031"],
  [0.0496, false, "0.0496"],
  [0.05003, false, "0.05003"],
  [0.05, false, "0.050"],
  [0.00096, false, "0.00096"],
  [0.0009996, false, "0.0009996"],
])("pValue %d", (p, isFloor, written) => expect(pValue(p, isFloor)).toBe(written));

test.each([
  [0, "$0"],
  [0.001234, "$0.00123"],
  [12.5, "$12.50"],
  [-1234.5, "\u2212\u2060$1,234.50"],
])("dollars %d", (value, written) => expect(dollars(value)).toBe(written));

test.each([
  [812, "812 ms"],
  [12_345, "12.3 s"],
])("milliseconds %d", (value, written) => expect(plain(milliseconds(value))).toBe(written));

test.each([
  [1, 2, "1 to 2"],
  [null, 2, "\u2212∞ to 2"],
  [1, null, "1 to ∞"],
  [null, null, null],
])("interval %s %s", (low, high, written) => expect(interval(low, high, String)).toBe(written));
