import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { ENTRIES } from "./bundle.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const SOURCES = "clients/typescript/src";
const BUCKETING = "packages/bucketing/src";
const COMPILER_OPTIONS =
  "--ignoreConfig --declaration --emitDeclarationOnly --stripInternal --strict --skipLibCheck --types node " +
  "--target es2022 --lib es2024 --module nodenext --allowImportingTsExtensions";
const IMPORT = /(\bfrom |\bimport\()"([^"]+)"/g;
/** Extension of a declaration file, and of its module. */
const MODULE_KINDS = [
  ["d.ts", "js"],
  ["d.cts", "cjs"],
] as const;

interface Copying {
  /** The compiler's output, arranged like the repository. */
  readonly emitted: string;
  readonly folder: string;
  readonly done: Set<string>;
}

/** Writes the declarations that the entries need, for ESM (`.d.ts`) and for CommonJS (`.d.cts`), into a folder. */
export function writeDeclarations(folder: string): void {
  const emitted = mkdtempSync(join(tmpdir(), "assay-types-"));
  try {
    emitInto(emitted);
    const done = new Set<string>();
    for (const entry of ENTRIES) copyReachable(`${SOURCES}/${entry}`, { emitted, folder, done });
  } finally {
    rmSync(emitted, { recursive: true });
  }
}

/** Runs once per package, because the compiler emits nothing for a package that it finds through another. */
function emitInto(folder: string): void {
  for (const inputs of [ENTRIES.map((entry) => `${SOURCES}/${entry}.ts`), [`${BUCKETING}/index.ts`]]) {
    const args = [...COMPILER_OPTIONS.split(" "), "--rootDir", ".", "--outDir", folder, ...inputs];
    const compiler = join(ROOT, "node_modules/.bin/tsc");
    const { status, stdout } = spawnSync(compiler, args, { cwd: ROOT, encoding: "utf8" });
    if (status !== 0) throw new Error(`The declarations could not be made:\n${stdout}`);
  }
}

/** Copies a declaration, named by its path without an extension, with everything that it imports. */
function copyReachable(path: string, copying: Copying): void {
  if (copying.done.has(path)) return;
  copying.done.add(path);
  const text = withLibrary(readFileSync(join(copying.emitted, `${path}.d.ts`), "utf8"));
  for (const [, , name] of text.matchAll(IMPORT)) copyReachable(importedPath(path, name!), copying);
  const target = join(copying.folder, publishedPath(path));
  mkdirSync(dirname(target), { recursive: true });
  for (const [ending, module] of MODULE_KINDS) {
    const rewritten = text.replace(IMPORT, (_import, lead: string, name: string) => {
      const from = dirname(publishedPath(path));
      return `${lead}"./${relative(from, publishedPath(importedPath(path, name)))}.${module}"`;
    });
    writeFileSync(`${target}.${ending}`, rewritten);
  }
}

function importedPath(path: string, name: string): string {
  if (name === "@assay/bucketing") return `${BUCKETING}/index`;
  if (name.startsWith(".")) return join(dirname(path), name.replace(/\.ts$/, ""));
  throw new Error(`The declaration of ${path} needs ${name}, which the package does not have.`);
}

const publishedPath = (path: string) => path.replace(`${SOURCES}/`, "").replace(BUCKETING, "bucketing");

/** No default library of a project has `Symbol.asyncDispose`. */
function withLibrary(text: string): string {
  return text.includes("Symbol.asyncDispose") ? `/// <reference lib="esnext.disposable" />\n${text}` : text;
}
