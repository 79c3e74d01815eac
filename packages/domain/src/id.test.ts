import { expect, test } from "vitest";
import { isId } from "./id.ts";

test.each<[unknown, boolean]>([
  ["01890000-0000-7000-8000-000000000001", true],
  ["01890000-0000-7000-8000-00000000000A", false],
  ["01890000-0000-7000-8000-0000000000011", false],
  [" 01890000-0000-7000-8000-000000000001", false],
  ["01890000-0000-7000-8000-000000000001\n", false],
  ["greeting", false],
  ["", false],
  [7, false],
  [null, false],
])("isId reads %j as %j", (value, expected) => {
  expect(isId(value)).toBe(expected);
});
