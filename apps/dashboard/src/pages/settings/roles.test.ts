import { expect, test } from "vitest";
import { givableBy, mayChange } from "./roles.ts";

test.each([
  ["member", "member", false],
  ["admin", "member", true],
  ["admin", "admin", true],
  ["admin", "owner", false],
  ["owner", "owner", true],
] as const)("%s may change %s: %s", (mine, theirs, may) => expect(mayChange(mine, theirs)).toBe(may));

test.each([
  ["admin", ["member", "admin"]],
  ["owner", ["member", "admin", "owner"]],
] as const)("%s may give %j", (mine, roles) => expect(givableBy(mine)).toEqual(roles));
