import { basename, resolve } from "node:path";
import { type BuildOptions, build } from "esbuild";

const ROOT = resolve(import.meta.dirname, "../../..");

/**
 * The entries of the package: the client, its part for pages that observe no model calls, the additions for agents, for the Vercel
 * AI SDK, for LangChain and for the OpenAI Agents SDK, the renderer for servers, and the client for unit tests. Each is bundled separately, and
 * they share no state.
 */
export const ENTRIES = [
  "index",
  "core",
  "agent",
  "ai-sdk",
  "langchain",
  "openai-agents",
  "rendering",
  "testing",
] as const;
export const RUNTIMES = ["node", "browser", "worker"] as const;
export const FORMATS = ["esm", "cjs"] as const;
/** Entries that a page's script element may load as the global `assay`. */
export const SCRIPTS = ["index", "core"] as const;

export interface Bundle {
  readonly entry: (typeof ENTRIES)[number];
  readonly runtime: (typeof RUNTIMES)[number];
  readonly format: (typeof FORMATS)[number] | "iife";
  readonly minify?: boolean;
}

const SETTINGS: Readonly<Record<Bundle["runtime"], BuildOptions>> = {
  node: { platform: "node", target: "node18" },
  browser: { platform: "browser", target: "es2022" },
  // Neither of the other two conditions applies here, so `default` is used; a Node module would fail the
  // build.
  worker: { platform: "neutral", target: "es2022" },
};

/**
 * Bundles an entry for a runtime; returns the files by name, the entry's own first. They import only each other and
 * what is built into Node. ESM for browsers has a separate file, the same for every entry, with what a page loads
 * later; the other formats cannot.
 */
export async function bundle({
  entry,
  runtime,
  format,
  minify = false,
}: Bundle): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    // In a comment, esbuild writes each source's path relative to here.
    absWorkingDir: ROOT,
    entryPoints: [`clients/typescript/src/${entry}.ts`],
    ...SETTINGS[runtime],
    bundle: true,
    format,
    ...(format === "iife" && { globalName: "assay" }),
    splitting: format === "esm",
    outdir: ".",
    entryNames: `[name].${runtime}`,
    chunkNames: `[name].${runtime}`,
    outExtension: { ".js": format === "cjs" ? ".cjs" : ".js" },
    minify,
    write: false,
    logLevel: "silent",
  });
  const files = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  // Code shared by two files would become a third, which both would have to wait for.
  const unforeseen = [...files.keys()].filter((name) => name.startsWith("chunk"));
  if (unforeseen.length > 0) throw new Error(`What loads later imports what is loaded: ${unforeseen}`);
  return files;
}
