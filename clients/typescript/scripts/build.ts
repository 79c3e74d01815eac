import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundle, ENTRIES, FORMATS, RUNTIMES, SCRIPTS } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { type SourceManifest, toManifest } from "./manifest.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const LICENSE = resolve(PACKAGE, "../../LICENSE");

/**
 * Empties a folder and writes the published package into it. Bundles are not minified (the page's bundler
 * does that), so they need no source maps; those for a page's script element are.
 */
export async function buildPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "esm"), { recursive: true });
  mkdirSync(join(folder, "cjs"));
  mkdirSync(join(folder, "iife"));
  for (const entry of ENTRIES) {
    for (const runtime of RUNTIMES) {
      for (const format of FORMATS) {
        for (const [name, text] of await bundle({ entry, runtime, format })) {
          writeFileSync(join(folder, format, name), text);
        }
      }
    }
  }
  for (const entry of SCRIPTS) {
    const files = await bundle({ entry, runtime: "browser", format: "iife", minify: true });
    for (const text of files.values()) writeFileSync(join(folder, `iife/${entry}.js`), text);
  }
  writeDeclarations(join(folder, "types"));
  const source = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as SourceManifest;
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(toManifest(source), null, 2)}\n`);
  copyFileSync(join(PACKAGE, "README.md"), join(folder, "README.md"));
  copyFileSync(LICENSE, join(folder, "LICENSE"));
}
