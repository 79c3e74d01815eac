import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const PACKAGE = resolve(import.meta.dirname, "..");
const SOURCES = join(PACKAGE, "src");
const COMPILER = resolve(PACKAGE, "../../node_modules/.bin/tsc");
const COMPILER_OPTIONS =
  "--ignoreConfig --declaration --emitDeclarationOnly --stripInternal --strict --skipLibCheck --types node " +
  "--target es2022 --lib es2024 --module nodenext --allowImportingTsExtensions";

/** Writes the package's declarations, for ESM (`.d.ts`) and for CommonJS (`.d.cts`). */
export function writeDeclarations(folder: string): void {
  const emitted = mkdtempSync(join(tmpdir(), "assay-types-"));
  try {
    const args = [
      ...COMPILER_OPTIONS.split(" "),
      ...["--rootDir", SOURCES, "--outDir", emitted],
      join(SOURCES, "index.ts"),
    ];
    const { status, stdout } = spawnSync(COMPILER, args, { cwd: PACKAGE, encoding: "utf8" });
    if (status !== 0) throw new Error(`The declarations could not be made:\n${stdout}`);
    for (const name of readdirSync(emitted)) {
      const text = readFileSync(join(emitted, name), "utf8");
      writeFileSync(join(folder, name), withEnding(text, "js"));
      writeFileSync(join(folder, name.replace(/\.d\.ts$/, ".d.cts")), withEnding(text, "cjs"));
    }
  } finally {
    rmSync(emitted, { recursive: true });
  }
}

/** Rewrites imports of our source files to the published modules. */
function withEnding(text: string, ending: string): string {
  return text.replace(/(["'])(\.\/[^"']+)\.ts\1/g, `$1$2.${ending}$1`);
}
