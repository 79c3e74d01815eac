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

/**
 * Internal names between the parts of the client, shortened in the bundles because no page's minifier may do that. None
 * is public, on the wire, in a store, or a name of the platform (`e2e/size.test.ts` checks what it can).
 */
const INTERNAL_NAMES =
  "arm askUsage bucketCount check facts fail finishWith firstFlushMs forget giveUp health isAsked isExtracted isRefusal " +
  "isUsageOnly journal keyHash leftOut life logText maxBatchBytes maxBytes maxEvents noteDate noteFailure noteReachable noteVersion nulls " +
  "observed onConfigVersion onLoad owners queueLimits release retryAfterMs sayOnce sendLast snapshot store sums takeChunk " +
  "takeReplay transport unsent useStore verdict wait waiters wake";
/** Each internal name with its short form, the same in all bundles, because some files are in several. */
export const SHORT_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  INTERNAL_NAMES.split(" ").map((name, index) => [
    name,
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[index]!,
  ]),
);

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
    mangleProps: new RegExp(`^(${Object.keys(SHORT_NAMES).join("|")})$`),
    mangleCache: { ...SHORT_NAMES },
    write: false,
    logLevel: "silent",
  });
  const files = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  // Code shared by two files would become a third, which both would have to wait for.
  const unforeseen = [...files.keys()].filter((name) => name.startsWith("chunk"));
  if (unforeseen.length > 0) throw new Error(`What loads later imports what is loaded: ${unforeseen}`);
  return files;
}
