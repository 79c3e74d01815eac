import { expect, test } from "vitest";
import { refusalOfToken } from "./refusal-of-token.ts";

const NOW = 1_000;

test.each([
  ["works until it expires", NOW + 1, "owner", "admin", null],
  ["is refused from its expiry on", NOW, "owner", "admin", "expired"],
  ["is refused once its creator's membership ends", NOW + 1, null, "member", "maker-gone"],
  ["has no more rights than its creator", NOW + 1, "member", "admin", "maker-lost-role"],
  ["with the member role keeps working when its creator becomes a member", NOW + 1, "member", "member", null],
] as const)("a token %s", (_name, expiresAt, makerRole, role, expected) => {
  expect(refusalOfToken({ expiresAt, makerRole, role }, NOW)).toBe(expected);
});
