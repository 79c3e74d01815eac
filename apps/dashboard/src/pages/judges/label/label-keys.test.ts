import { expect, test } from "vitest";
import { actionOf, keyList, stepped } from "./label-keys.ts";

test.each([
  { scale: "pass_fail", key: "1", action: { kind: "score", score: 1 } },
  { scale: "pass_fail", key: "0", action: { kind: "score", score: 0 } },
  { scale: "pass_fail", key: "2", action: null },
  { scale: "pass_fail", key: "Enter", action: null },
  { scale: "1-5", key: "5", action: { kind: "score", score: 5 } },
  { scale: "1-5", key: "0", action: null },
  { scale: "1-5", key: "6", action: null },
  { scale: "0-1", key: "7", action: { kind: "choose", score: 0.7 } },
  { scale: "0-1", key: "Enter", action: { kind: "store" } },
  { scale: "0-1", key: "ArrowRight", action: { kind: "step", by: 0.05 } },
  { scale: "0-1", key: "s", action: { kind: "score", score: null } },
  { scale: "pass_fail", key: "U", action: { kind: "undo" } },
  { scale: "1-5", key: "n", action: { kind: "note" } },
  { scale: "1-5", key: "?", action: { kind: "help" } },
  { scale: "1-5", key: "x", action: null },
] as const)("on the scale $scale the key $key means $action", ({ scale, key, action }) =>
  expect(actionOf(scale, key)).toEqual(action),
);

test.each([
  { score: null, by: 0.05, moved: 0.55 },
  { score: 0.3, by: -0.05, moved: 0.25 },
  { score: 0.98, by: 0.05, moved: 1 },
  { score: 0, by: -0.05, moved: 0 },
])("a step of $by from $score leads to $moved", ({ score, by, moved }) =>
  expect(stepped(score, by)).toBe(moved),
);

test("every scale lists its own keys first, then those of all", () => {
  expect(keyList("pass_fail").map(([keys]) => keys)).toEqual(["1", "0", "S", "U", "N", "?"]);
  expect(keyList("0-1").map(([keys]) => keys)).toEqual(["0 to 9", "← →", "Enter", "S", "U", "N", "?"]);
});
