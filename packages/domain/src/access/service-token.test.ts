import { expect, test } from "vitest";
import { isUseWorthNoting, TOKEN_USE_MS } from "./service-token.ts";

test.each([
  ["the first use", null, true],
  ["a use within the minute", 1_000_000 - TOKEN_USE_MS + 1, false],
  ["a use a minute later", 1_000_000 - TOKEN_USE_MS, true],
])("%s", (_name, lastUsedAt, expected) => {
  expect(isUseWorthNoting({ lastUsedAt }, 1_000_000)).toBe(expected);
});
