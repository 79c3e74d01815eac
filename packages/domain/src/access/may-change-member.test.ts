import { expect, test } from "vitest";
import { mayChangeMember } from "./may-change-member.ts";

test.each([
  ["admin", "member", "admin", true],
  ["admin", "admin", "member", true],
  ["admin", "member", null, true],
  ["admin", "admin", null, true],
  ["admin", null, "admin", true],
  ["admin", "owner", "member", false],
  ["admin", "owner", "owner", false],
  ["admin", "owner", null, false],
  ["admin", "member", "owner", false],
  ["admin", null, "owner", false],
  ["owner", "owner", "member", true],
  ["owner", "owner", null, true],
  ["owner", "member", "owner", true],
  ["owner", null, "owner", true],
] as const)("%s turns %s into %s: %s", (caller, from, to, allowed) => {
  expect(mayChangeMember(caller, { from, to })).toBe(allowed);
});
