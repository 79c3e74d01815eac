import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { describe, identifiersOf } from "./described.ts";
import { isJavaPackage, toJava } from "./java.ts";
import { toPython } from "./python.ts";
import { toTypeScript } from "./typescript.ts";

type Experiments = Parameters<typeof describe>[0];

const metric = (name: string, source: object) => ({ name, source });
/** Names that are not identifiers, and some that would become the same identifier. */
const EXPERIMENTS = [
  {
    name: "tone of-voice",
    variants: [
      { key: "control", variables: { temperature: 1, tags: [], "max-tokens": 5, extra: null } },
      {
        key: 'it\'s "warm" 語',
        variables: { temperature: 0.2, mode: "a", on: true, deep: { x: 1 }, extra: 1 },
      },
    ],
    metrics: [
      metric("revenue", { event: "business_event", business_metric: "order value" }),
      metric("latency", { event: "model_call", field: "latency_ms" }),
    ],
  },
  { name: "Tone of voice", variants: [{ key: "a" }, { key: "A" }], metrics: [] },
  {
    name: "experiments",
    metrics: [metric("sold", { event: "business_event", business_metric: "order value" })],
  },
  { name: "語", variants: [], metrics: [] },
] as unknown as Experiments;

const folder = mkdtempSync(join(tmpdir(), "assay-types-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("describes what an application may name, sorted", () => {
  expect(describe(EXPERIMENTS)).toEqual({
    experiments: [
      { name: "Tone of voice", variants: ["a", "A"], variables: [] },
      { name: "experiments", variants: [], variables: [] },
      {
        name: "tone of-voice",
        variants: ["control", 'it\'s "warm" 語'],
        variables: [
          ["deep", "object"],
          ["extra", "any"],
          ["max-tokens", "number"],
          ["mode", "text"],
          ["on", "boolean"],
          ["tags", "list"],
          ["temperature", "number"],
        ],
      },
      { name: "語", variants: [], variables: [] },
    ],
    businessMetrics: ["order value"],
  });
});

test("writes a module for TypeScript", () => {
  expect(toTypeScript(describe(EXPERIMENTS))).toBe(`import "@assay/client";

declare module "@assay/client" {
  interface Experiments {
    "Tone of voice": { variant: "a" | "A"; variables: {} };
    "experiments": { variant: never; variables: {} };
    "tone of-voice": { variant: "control" | "it's \\"warm\\" 語"; variables: { "deep": Readonly<Record<string, unknown>>; "extra": unknown; "max-tokens": number; "mode": string; "on": boolean; "tags": readonly unknown[]; "temperature": number } };
    "語": { variant: never; variables: {} };
  }

  interface BusinessMetrics {
    "order value": number;
  }
}
`);
});

test("writes a module for Python, which runs it", () => {
  const file = join(folder, "experiments.py");
  writeFileSync(file, toPython(describe(EXPERIMENTS)));
  const ask = `
import typing, experiments
print(typing.get_args(experiments.ToneOfVoice2Variant)[1] == 'it\\'s "warm" 語')
print(sorted(experiments.ToneOfVoice2Variables.__annotations__))
print(typing.get_args(experiments.BusinessMetric), typing.get_args(experiments.ExperimentName))
print(experiments.ExperimentsVariant)`;
  const { stdout, stderr } = spawnSync("python3", ["-c", ask], { cwd: folder, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual([
    "True",
    "['deep', 'extra', 'max-tokens', 'mode', 'on', 'tags', 'temperature']",
    "('order value',) ('Tone of voice', 'experiments', 'tone of-voice', '語')",
    "typing.NoReturn",
  ]);
});

test("writes a class for Java, which compiles it", ({ skip }) => {
  const file = join(folder, "Experiments.java");
  const named = [...EXPERIMENTS, { name: "string", metrics: [] }] as unknown as Experiments;
  const text = toJava(describe(named), "com.example");
  writeFileSync(file, text);
  expect(text).toContain('public static final String METRIC_ORDER_VALUE = "order value";');
  expect(text).toContain('public static final String VARIANT_IT_S_WARM = "it\'s \\"warm\\" \\u8a9e";');
  expect(text).toContain("public static final class Experiments2 {");
  const { error, status, stderr } = spawnSync("javac", ["-d", folder, file], { encoding: "utf8" });
  if (error !== undefined) return skip("there is no javac");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("a package's name has no word that Java reserves", () => {
  const names = ["experiments", "com.example", "_a.b2", "com.classes"];
  expect(names.filter((name) => !isJavaPackage(name))).toEqual([]);
  const wrong = ["", "com.class", "int", "a._", "a.true", "a..b", "a.", "2a", "a-b"];
  expect(wrong.filter(isJavaPackage)).toEqual([]);
});

test("identifiers are all different, also where case does not count", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: fc.constantFrom("a", "A", "1", "-", "é", "語") })),
      (names) => {
        const identifiers = [...identifiersOf(names, ["A"]).values()];
        expect(identifiers).toHaveLength(names.length);
        expect(new Set(["a", ...identifiers.map((one) => one.toLowerCase())]).size).toBe(names.length + 1);
        for (const identifier of identifiers) expect(identifier).toMatch(/^[A-Z_][A-Za-z0-9]+$|^[A-Z]$/);
      },
    ),
  );
});
