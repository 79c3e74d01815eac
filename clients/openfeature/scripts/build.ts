import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { writeDeclarations } from "./declarations.ts";
import { ENTRIES, type SourceManifest, toManifest } from "./manifest.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const LICENSE = resolve(PACKAGE, "../../LICENSE");

/**
 * Empties a folder and writes the published package into it. The package imports the SDKs, but only types from the
 * client.
 */
export async function buildPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const format of ["esm", "cjs"] as const) {
    await build({
      absWorkingDir: PACKAGE,
      entryPoints: ENTRIES.map((entry) => `src/${entry}.ts`),
      outdir: folder,
      outExtension: { ".js": format === "esm" ? ".js" : ".cjs" },
      bundle: true,
      packages: "external",
      platform: "neutral",
      target: "es2022",
      format,
      logLevel: "silent",
    });
  }
  writeDeclarations(folder);
  const source = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as SourceManifest;
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(toManifest(source), null, 2)}\n`);
  copyFileSync(join(PACKAGE, "README.md"), join(folder, "README.md"));
  copyFileSync(LICENSE, join(folder, "LICENSE"));
}
