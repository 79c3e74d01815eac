import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildPackage as buildClient } from "../../typescript/scripts/build.ts";
import { buildPackage } from "../scripts/build.ts";

const MODULES = resolve(import.meta.dirname, "../../../node_modules");

/** An application that installs the two published packages. */
let app: string;
let published: string;
beforeAll(async () => {
  app = mkdtempSync(join(tmpdir(), "assay-react-"));
  published = join(app, "node_modules/@assay/react");
  mkdirSync(join(app, "node_modules/@assay"), { recursive: true });
  for (const name of ["@types", "csstype", "react", "react-dom"]) {
    symlinkSync(join(MODULES, name), join(app, "node_modules", name));
  }
  await Promise.all([buildPackage(published), buildClient(join(app, "node_modules/@assay/client"))]);
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

function run(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: app, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

test.each([
  { file: "app.mjs", load: (names: string, module: string) => `import ${names} from "${module}";` },
  { file: "app.cjs", load: (names: string, module: string) => `const ${names} = require("${module}");` },
])("the published package renders in $file", ({ file, load }) => {
  const lines = [
    load("{ AssayProvider, useVariant }", "@assay/react"),
    load("{ createTestClient }", "@assay/client/testing"),
    load("{ createElement }", "react"),
    load("{ renderToString }", "react-dom/server"),
    'const client = createTestClient({ greeting: "short" });',
    'const Greeting = () => createElement("b", null, useVariant("greeting"));',
    'console.log(renderToString(createElement(AssayProvider, { client, user: "ann" }, createElement(Greeting))));',
  ];
  writeFileSync(join(app, file), lines.join("\n"));
  expect(run(process.execPath, file)).toEqual({ status: 0, output: "<b>short</b>\n" });
  expect(
    readFileSync(join(published, file.replace("app.m", "index.").replace("app.", "index.")), "utf8"),
  ).toMatch(/^"use client";/);
});

test("the README's first example type-checks, and known names are checked", () => {
  const readme = readFileSync(join(published, "README.md"), "utf8");
  const example = /```tsx\n\/\/ app\.tsx\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  writeFileSync(join(app, "package.json"), '{ "type": "module" }');
  writeFileSync(join(app, "app.tsx"), example);
  const options =
    "--ignoreConfig --noEmit --strict --jsx react-jsx --types node,react --target es2022 --lib es2022,dom --module nodenext";

  const names = `declare module "@assay/client" {
    interface Experiments { greeting: { variant: "control" | "friendly"; variables: { tone: string } } }
    interface BusinessMetrics { thumbs_up: true }
  }`;
  const uses = [
    'import { useTrack, useVariables, useVariant } from "@assay/react";',
    'import type {} from "@assay/client";',
    'export const right: "control" | "friendly" | null = useVariant("greeting");',
    'export const tone: string = useVariables("greeting", { tone: "plain" }).tone;',
    'useVariant("greting");',
    'useVariables("greeting", { tune: 1 });',
    'useTrack()("business_event", { experiment_id: "greeting", business_metric: "thumbs" });',
  ];
  writeFileSync(join(app, "names.ts"), [...uses, names].join("\n"));
  const { output } = run(join(MODULES, ".bin/tsc"), ...options.split(" "), "app.tsx", "names.ts");
  expect(output.match(/^\w+\.tsx?\(\d+/gm)).toEqual(["names.ts(5", "names.ts(6", "names.ts(7"]);
});

test("publint finds no problems", async () => {
  const { messages } = await publint({ pkgDir: published, strict: true });
  expect(messages).toEqual([]);
});
