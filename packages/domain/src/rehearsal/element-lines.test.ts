import { expect, test } from "vitest";
import { elementLines } from "./element-lines.ts";

const ALL = new Set([0, 1, 2, 3, 4]);
const linesOf = (json: string, member: string | null = null, wanted: ReadonlySet<number> = ALL) => [
  ...elementLines(json, member, wanted),
];

test.each<[string, string, string | null, readonly (readonly [number, number])[]]>([
  [
    "a list",
    '[\n{"a": [1, 2]},\n\n"b,[",\n3]',
    null,
    [
      [0, 2],
      [1, 4],
      [2, 5],
    ],
  ],
  [
    "a list on one line",
    '[{"a":1},{"b":2}]',
    null,
    [
      [0, 1],
      [1, 1],
    ],
  ],
  [
    "nested lists",
    "[[\n[1,2]\n],\n[3]]",
    null,
    [
      [0, 1],
      [1, 4],
    ],
  ],
  ["no elements", "\n[\n]", null, []],
  [
    "a member",
    '{\n"note": "tests [",\n"other": [9, {"tests": [8]}],\n"tests": [\n{},\n{}\n],\n"more": [7]}',
    "tests",
    [
      [0, 5],
      [1, 6],
    ],
  ],
  [
    "an escaped quote",
    '{"a\\"": ["x"], "tests":\n["\\\\",\n1]}',
    "tests",
    [
      [0, 2],
      [1, 3],
    ],
  ],
  ["no such member", '{"a": [1]}', "tests", []],
  [
    "a text that breaks off",
    '[1,\n"ab',
    null,
    [
      [0, 1],
      [1, 2],
    ],
  ],
])("finds the lines of %s", (_name, json, member, lines) => {
  expect(linesOf(json, member)).toEqual(lines);
});

test("finds only the wanted ones", () => {
  expect(linesOf("[1,\n2,\n3]", null, new Set([1]))).toEqual([[1, 2]]);
});
