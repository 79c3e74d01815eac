import { describe, expect, test } from "vitest";
import { instrument } from "./instrument.ts";
import { shiftNumber } from "./operators.ts";

const changes = (source: string) => instrument(source, true).mutants.map(({ change }) => change);

/** Evaluates a source to its `out`, unchanged and with each of its mutants. */
function outcomes(source: string): readonly unknown[] {
  const { mutants, render } = instrument(source, true);
  const text = `${render(0)}; return out;`;
  return [-1, ...mutants.keys()].map((active) => {
    let rounds = 0;
    const $m = {
      active,
      at: (first: number, last: number) => active >= first && active <= last,
      tick() {
        rounds += 1;
        if (rounds > 100) throw new RangeError("It loops without an end.");
      },
    };
    try {
      return new Function("globalThis", text)({ __mutants: $m });
    } catch (error) {
      return (error as Error).name;
    }
  });
}

describe("changes", () => {
  test.each([
    ["a < b", ["< → <=", "< → >="]],
    ["a >= b", [">= → >", ">= → <"]],
    ["a === b", ["=== → !=="]],
    ["a + b", ["+ → -"]],
    ["a && b", ["&& → ||"]],
    ["a ?? b", ["?? → &&"]],
    ["!a", ["!a → without !"]],
    ["true", ["true → false"]],
    ["7", ["7 → 8"]],
    ["0.5", ["0.5 → 0.6"]],
    ['"word"', ['"word" → ""']],
    ['""', ['"" → "changed"']],
    ["a?.b", ["?. → ."]],
    ["a?.()", ["?. → without ?."]],
    ["Math.min(a)", ["min() → max()"]],
    ["a.some(f)", ["some() → every()"]],
    ["a.filter(f)", ["without filter()"]],
    ["a ? b : c", ["a → negated"]],
  ])("%s", (expression, expected) => expect(changes(`const x = ${expression};`)).toEqual(expected));

  test.each([
    ["f();", ["without f();"]],
    ["x += y;", ["without x += y;", "+= → -="]],
    ["if (a) { f(); return; }", ["a → negated", "if (a) → without the early return", "without f();"]],
    ["if (a) f();", ["a → negated", "without f();"]],
    ["for (const a of b) f(a);", ["without f(a);"]],
  ])("%s", (statement, expected) => expect(changes(`function g() { ${statement} }`)).toEqual(expected));

  test("no message, type, name or string that the compiler checks", () => {
    expect(changes('const message = "It failed.";')).toEqual([]);
    expect(changes('type T = "a" | 7; import x from "x"; export * from "y";')).toEqual([]);
    expect(changes('const table = { "a-key": b };')).toEqual([]);
    expect(changes('const kinds = ["a", "b"] as const;')).toEqual([]);
    expect(changes('const isA = kind === "a";')).toEqual(["=== → !=="]);
    expect(changes('const text = "a" + b;')).toEqual(['"a" → ""']);
  });
});

describe("a named constant", () => {
  test.each([
    ["const LEAST = 30;", ["30 → 36", "30 → 24"]],
    ["export const SHARE = 1 / 20;", ["1 / 20 → 0.060000000000000005", "1 / 20 → 0.04"]],
    ["const LIMITS = { free: { days: 7 } };", ["7 → 8", "7 → 6"]],
    ["const ONE = 1;", ["1 → 2", "1 → 0"]],
  ])("%s is increased and decreased", (source, expected) => {
    const { mutants } = instrument(source, true);
    expect(mutants.map(({ change }) => change)).toEqual(expected);
    expect(mutants.every(({ isNamed }) => isNamed)).toBe(true);
  });

  test("does not include mutants of strings, or of numbers in functions", () => {
    const { mutants } = instrument('const NAMES = { a: "b", f: () => 3 };', true);
    expect(mutants.map(({ isNamed }) => isNamed)).toEqual([false, false]);
  });

  test("that is a tolerance changes by orders of magnitude", () => {
    expect(shiftNumber(1e-9, 1)).toBeCloseTo(1e-6, 12);
    expect(shiftNumber(1e-9, -1)).toBeCloseTo(1e-12, 18);
    expect([shiftNumber(0, 1), shiftNumber(0, -1)]).toEqual([1, -1]);
  });
});

describe("each mutant changes the behavior, and only when it is switched on", () => {
  test.each([
    ["nested conditions", "const f = (a) => a > 1 && a < 4; const out = [1, 2, 4].map(f).join();"],
    ["operands of a lower precedence", "const a = 2; const out = (a + 1) * 3;"],
    ["a chain", "const a = { b: { c: (x) => x } }; const out = a?.b.c(5);"],
    ["a loop without braces", "let out = 0; for (let i = 0; i < 3; i++) out += i;"],
    ["an else after a statement", "let out = 0; if (out > 0) out = 1; else out = 2;"],
  ])("%s", (_name, source) => {
    const [unchanged, ...changed] = outcomes(source);
    expect(unchanged).toBe(new Function(`${source}; return out;`)());
    expect(changed.length).toBeGreaterThan(0);
    expect(changed).not.toContain("SyntaxError");
    expect(changed).not.toEqual(changed.map(() => unchanged));
  });

  test("as written", () => {
    expect(outcomes("const f = (a) => a < 3; const out = f(3);")).toEqual([false, true, true, true, false]);
    expect(outcomes("const out = [null ?? 1, undefined?.x];").slice(0, 2)).toEqual([
      [1, undefined],
      [null, undefined],
    ]);
    expect(outcomes("let a; const out = a?.b;")).toEqual([undefined, "TypeError"]);
    expect(outcomes("const f = (a) => { if (a) return 1; return 2; }; const out = f(true);")).toEqual([
      1, 2, 2, 2, 1, 2,
    ]);
  });
});

test("a mutant keeps its key when its line moves, and equal changes on a line have different keys", () => {
  const keys = (source: string) => instrument(source, true).mutants.map(({ key }) => key);
  expect(keys("\n\nconst x = a < b;")).toEqual(keys("const x = a < b;"));
  expect(new Set(keys("const x = a + b + c;")).size).toBe(2);
});

test("a loop counts its rounds, even in a file without mutants", () => {
  const { mutants, render } = instrument("let out = 0; while (out < 5) out++;", false);
  let ticks = 0;
  const tick = () => {
    ticks += 1;
  };
  new Function("globalThis", render(0))({ __mutants: { tick } });
  expect({ ticks, mutants }).toEqual({ ticks: 5, mutants: [] });
});
