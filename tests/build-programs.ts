import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");
const OUT = join(ROOT, ".cache/programs");
const STAMP = join(OUT, ".stamp");
const SOURCES = ["apps/{cli,server}", "packages/*", "clients/typescript"].map(
  (path) => `${path}/src/**/*.ts`,
);
/** They load files of their own folders: native code. */
const EXTERNAL = ["better-sqlite3", "lmdb", "chdb"];
/** How a source names the program of a thread or a child process. */
const PROGRAM_URL = /new URL\("(\.[^"]+)\.ts", import\.meta\.url\)/g;

/** The command line as one program. Loading it takes a third of the CPU that its thousand sources take. */
export const BUILT_CLI = built("apps/cli/src/main.ts");
/** `--import` it, and an answer that does not fit the contract becomes a 500 that says why. */
export const BUILT_CHECK_ANSWERS = built("apps/server/src/test-support/check-answers.ts");

/** Builds both and the programs that they start, before test files that run them side by side, unless the sources are the same. */
export async function setup(): Promise<void> {
  const sources = new Map(
    globSync([...SOURCES, "package-lock.json", "tests/build-programs.ts"], { cwd: ROOT })
      .filter((path) => !path.endsWith(".test.ts"))
      .sort()
      .map((path) => [path, readFileSync(join(ROOT, path), "utf8")]),
  );
  // The programs name their sources by their whole paths: those of a copied folder are made again.
  const hash = createHash("sha256").update(ROOT);
  for (const [path, text] of sources) hash.update(path).update(text);
  const stamp = hash.digest("hex");
  if (readStamp() === stamp) return;
  rmSync(OUT, { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: [
      "apps/cli/src/main.ts",
      "apps/server/src/test-support/check-answers.ts",
      ...[...sources].flatMap(([path, text]) =>
        [...text.matchAll(PROGRAM_URL)].map(([, name]) => join(dirname(path), `${name}.ts`)),
      ),
    ],
    outdir: OUT,
    outbase: ROOT,
    bundle: true,
    // One module, once, in whatever program of a process imports it.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    keepNames: true,
    minifySyntax: true,
    minifyWhitespace: true,
    external: EXTERNAL,
    banner: {
      js: `import { createRequire as createRequireOfRoot } from "node:module"; const require = createRequireOfRoot(${JSON.stringify(pathToFileURL(join(ROOT, "package.json")).href)});`,
    },
    plugins: [keepPlaces],
    logLevel: "warning",
  });
  writeFileSync(STAMP, stamp);
}

/** A source finds its files where it lies itself, and other programs where they were built. */
const keepPlaces: Plugin = {
  name: "keep-places",
  setup(building) {
    building.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      if (path.includes("/node_modules/")) return null;
      const text = readFileSync(path, "utf8")
        .replace(PROGRAM_URL, (_, name: string) => {
          const program = built(join(dirname(path), `${name}.ts`).slice(ROOT.length + 1));
          return `new URL(${JSON.stringify(pathToFileURL(program).href)})`;
        })
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
      return { contents: text, loader: "ts" };
    });
  },
};

function built(source: string): string {
  return join(OUT, source.replace(/\.ts$/, ".js"));
}

function readStamp(): string | null {
  try {
    return readFileSync(STAMP, "utf8");
  } catch {
    return null;
  }
}
