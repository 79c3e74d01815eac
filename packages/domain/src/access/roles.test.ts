import { expect, test } from "vitest";
import { parseRole, roleAllows } from "./roles.ts";

test.each([
  ["member", "member", true],
  ["member", "admin", false],
  ["member", "owner", false],
  ["admin", "member", true],
  ["admin", "admin", true],
  ["admin", "owner", false],
  ["owner", "owner", true],
  ["owner", "member", true],
] as const)("%s may do what needs %s: %s", (role, needed, allowed) => {
  expect(roleAllows(role, needed)).toBe(allowed);
});

test.each([
  ["admin", "admin"],
  ["org:admin", "admin"],
  ["org:member", "member"],
  ["owner", "owner"],
  ["root", null],
  ["", null],
])("parseRole reads %j as %j", (text, role) => {
  expect(parseRole(text)).toBe(role);
});
