import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPackage as buildClient } from "../../typescript/scripts/build.ts";
import { buildPackage } from "../scripts/build.ts";

const MODULES = resolve(import.meta.dirname, "../../../node_modules");

/** An application with the two published packages. */
let app: string;
let published: string;
beforeAll(async () => {
  app = mkdtempSync(join(tmpdir(), "assay-openfeature-"));
  published = join(app, "node_modules/@assay/openfeature");
  mkdirSync(join(app, "node_modules/@assay"), { recursive: true });
  for (const name of ["@openfeature", "@types"]) {
    symlinkSync(join(MODULES, name), join(app, "node_modules", name));
  }
  await Promise.all([buildPackage(published), buildClient(join(app, "node_modules/@assay/client"))]);
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

function run(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: app, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

describe("the package as it is published", () => {
  test.each([
    { file: "app.mjs", load: (name: string, entry: string) => `import { ${name} } from "${entry}";` },
    { file: "app.cjs", load: (name: string, entry: string) => `const { ${name} } = require("${entry}");` },
  ])("loads in $file", ({ file, load }) => {
    const lines = [
      load("AssayProvider", "@assay/openfeature/server"),
      load("AssayWebProvider", "@assay/openfeature/web"),
      load("Client", "@assay/client"),
      'const assay = new Client({ apiKey: "k", baseUrl: "http://unused.invalid", fetch: () => new Promise(() => {}) });',
      "const providers = [new AssayProvider(assay), new AssayWebProvider(assay)];",
      "for (const { metadata, runsOn } of providers) console.log(metadata.name, runsOn);",
    ];
    writeFileSync(join(app, file), lines.join("\n"));
    expect(run(process.execPath, file)).toEqual({ status: 0, output: "assay server\nassay client\n" });
  });

  test("has types for ES modules and for CommonJS, and takes either client", () => {
    const lines = [
      'import { Client } from "@assay/client";',
      'import { Client as CoreClient } from "@assay/client/core";',
      'import { AssayProvider } from "@assay/openfeature/server";',
      'import { AssayWebProvider } from "@assay/openfeature/web";',
      'import { OpenFeature } from "@openfeature/server-sdk";',
      'import { OpenFeature as WebOpenFeature } from "@openfeature/web-sdk";',
      "OpenFeature.setProvider(new AssayProvider(new Client()));",
      "WebOpenFeature.setProvider(new AssayWebProvider(new CoreClient()));",
    ];
    for (const file of ["types.mts", "types.cts"]) writeFileSync(join(app, file), lines.join("\n"));
    writeFileSync(
      join(app, "wrong.mts"),
      'import { AssayProvider } from "@assay/openfeature/server";\nnew AssayProvider("svc_pk_1");',
    );
    const options =
      "--ignoreConfig --noEmit --strict --types node --target es2022 --lib es2022,dom --module nodenext";
    const check = (...files: string[]) => run(join(MODULES, ".bin/tsc"), ...options.split(" "), ...files);
    expect(check("types.mts", "types.cts")).toEqual({ status: 0, output: "" });
    expect(check("wrong.mts").output).toContain("wrong.mts(2,19): error TS2345");
  });

  test("bundles for a page without a module of Node or the SDK for servers", async () => {
    const contents = 'export { AssayWebProvider } from "@assay/openfeature/web";';
    const stdin = { contents, resolveDir: app };
    const { metafile } = await build({ stdin, bundle: true, write: false, metafile: true, format: "esm" });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.filter((name) => name.includes("web-sdk"))).not.toEqual([]);
    expect(inputs.filter((name) => name.includes("server-sdk"))).toEqual([]);
  });

  test("has nothing that publint objects to", async () => {
    const { messages } = await publint({ pkgDir: published, strict: true });
    expect(messages).toEqual([]);
  });
});
