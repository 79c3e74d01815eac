import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ParserPlugin, parse } from "@babel/parser";
import { expect, test } from "vitest";

// The analyser in plain JavaScript: the package's main entry starts a program or a JVM.
const PLAIN = "recheck/lib/browser.js";
const { checkSync } = (await import(PLAIN)) as typeof import("recheck");

const root = resolve(import.meta.dirname, "..");

/** What is installed, built or generated, and what no user's text reaches: tests, benchmarks and the build. */
const isLeftOut = (path: string) =>
  /(^|\/)(node_modules|dist|target|e2e|scripts|test-support|contract-tests|schema\.d\.ts|\.[^/]+)$|\.test\.tsx?$/.test(
    path,
  );

interface Expression {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Expressions made of other values, each with its reason: nobody can analyze them from the source. */
const MADE_ELSEWHERE: Readonly<Record<string, string>> = {
  "apps/dashboard/src/pages/calls/chat-messages.ts": "alternatives of fixed words",
  "apps/server/src/http/app.ts": "the contract's own paths, each part matched by [^/]+",
};

/** Not linear, and no stranger's text reaches them. */
const OWN_TEXT: Readonly<Record<string, string>> = {
  "/\\/+$/": "an address that the operator or the application's own code sets",
};

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function* nodesOf(value: unknown): Generator<Node> {
  if (isNode(value)) yield value;
  if (typeof value === "object" && value !== null)
    for (const field of Object.values(value)) if (typeof field === "object") yield* nodesOf(field);
}

/** Regular expressions of a source: literals and `new RegExp` of a text; `made` counts those of other values. */
function expressionsOf(file: string): { readonly known: readonly Expression[]; readonly made: number } {
  const plugins: ParserPlugin[] = file.endsWith("x") ? ["typescript", "jsx"] : ["typescript"];
  const text = readFileSync(join(root, file), "utf8");
  const { program } = parse(text, { sourceType: "module", plugins });
  const known: Expression[] = [];
  let made = 0;
  for (const node of nodesOf(program)) {
    if (node.type === "RegExpLiteral")
      known.push({ file, source: String(node.pattern), flags: String(node.flags) });
    if ((node.callee as Node | undefined)?.name !== "RegExp") continue;
    const [text] = node.arguments as readonly Node[];
    if (text?.type === "StringLiteral") known.push({ file, source: String(text.value), flags: "u" });
    else made += 1;
  }
  return { known, made };
}

const DOCUMENT = "docs/openapi.json";

/** The patterns of the contract's schemas: sources name most of them by constants, and the document has their text. */
function patternsOfContract(): readonly Expression[] {
  const patterns: Expression[] = [];
  JSON.parse(readFileSync(join(root, DOCUMENT), "utf8"), (key, value: unknown) => {
    if (key === "pattern" && typeof value === "string")
      patterns.push({ file: DOCUMENT, source: value, flags: "u" });
    return value;
  });
  return patterns;
}

const files = globSync("{packages,apps,clients}/**/*.{ts,tsx}", { cwd: root, exclude: isLeftOut });
const found = files.map((file) => ({ file, ...expressionsOf(file) }));
const unique = new Map(
  [...found.flatMap(({ known }) => known), ...patternsOfContract()].map((expression) => [
    `/${expression.source}/${expression.flags}`,
    expression,
  ]),
);

test("the search finds expressions in the sources and patterns in the contract", () => {
  expect(unique.size).toBeGreaterThan(100);
  expect([...unique.keys()]).toContain("/\\$?\\{\\{?\\s*(?:[\\w.-]+\\s*)?\\}?\\}|%s/");
  expect([...unique.keys()]).toContain("/^[^\\u0000]+$/u");
});

test("the analyzer recognizes an expression that takes quadratic time", () => {
  expect(checkSync(String.raw`\$?\{\{?\s*[\w.-]*\s*\}?\}|%s`, "").status).toBe("vulnerable");
});

test("every expression built from other values is listed, with a reason", () => {
  const files = found.filter(({ made }) => made > 0).map(({ file }) => file);
  expect(files.sort()).toEqual(Object.keys(MADE_ELSEWHERE));
  expect([...unique.keys()]).toEqual(expect.arrayContaining(Object.keys(OWN_TEXT)));
});

const met = [...unique].filter(([name]) => OWN_TEXT[name] === undefined);

test.each(met.map(([name, expression]) => ({ name, ...expression })))(
  "$name of $file takes linear time",
  ({ source, flags }) => {
    const diagnosis = checkSync(source, flags, { timeout: 60_000 });
    expect(diagnosis).toMatchObject({ status: "safe" });
  },
);
