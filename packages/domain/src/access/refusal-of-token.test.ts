import { expect, test } from "vitest";
import { refusalOfToken } from "./refusal-of-token.ts";

const NOW = 1_000;

test.each([
  ["works until it expires", NOW + 1, "owner", "admin", null],
  ["is refused from its expiry on", NOW, "owner", "admin", "expired"],
  ["dies with the membership of its maker", NOW + 1, null, "member", "maker-gone"],
  ["has no more rights than its maker", NOW + 1, "member", "admin", "maker-lost-role"],
  ["of a member survives its maker's step down", NOW + 1, "member", "member", null],
] as const)("a token %s", (_name, expiresAt, makerRole, role, expected) => {
  expect(refusalOfToken({ expiresAt, makerRole, role }, NOW)).toBe(expected);
});
