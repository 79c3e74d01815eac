import { basename, resolve } from "node:path";
import { type BuildOptions, build } from "esbuild";

const ROOT = resolve(import.meta.dirname, "../../..");

/**
 * The entries of the package: the client, the part of it that a page needs which observes no model calls, what goes with the client where
 * the Vercel AI SDK or LangChain is used, what renders pages on servers, and the client of unit tests. Each is bundled by itself: they share no state.
 */
export const ENTRIES = ["index", "core", "ai-sdk", "langchain", "rendering", "testing"] as const;
export const RUNTIMES = ["node", "browser", "worker"] as const;
export const FORMATS = ["esm", "cjs"] as const;
/** The entries that a page's script element may load, as the global `assay`. */
export const SCRIPTS = ["index", "core"] as const;

/**
 * Names by which the parts of the client know each other, shortened in the bundles: no minifier of a page may do so. None
 * is public, on the wire, in a store, or a platform's own (`e2e/size.test.ts` checks what can be checked).
 */
const INTERNAL_NAMES =
  "arm bucketCount check eventId firstFlushMs forget giveUp health journal keyHash life maxBatchBytes maxBytes maxEvents noteDate " +
  "noteFailure noteReachable noteVersion nulls occurredAt onConfigVersion onLoad owners queueLimits release retryAfterMs sendLast " +
  "snapshot store takeReplay transport unsent useStore verdict wait waiters wake " +
  "askUsage fail facts finishWith isAsked isExtracted isRefusal isUsageOnly observed sums takeChunk";
/** Each internal name with its short one: the same in all bundles, since some files are in several. */
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
  // No condition of the two others holds here, so that `default` is taken; a Node module would fail the build.
  worker: { platform: "neutral", target: "es2022" },
};

/**
 * Bundles an entry for a runtime; returns the files by name, the entry's own first. They import nothing but each other
 * and what Node itself has. ESM for browsers leaves what a page loads later in a file of its own, the same for every
 * entry; the other formats cannot.
 */
export async function bundle({
  entry,
  runtime,
  format,
  minify = false,
}: Bundle): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    // esbuild names each source by its path from here in a comment.
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
  // What two files share would be a third, to be waited for by both.
  const unforeseen = [...files.keys()].filter((name) => name.startsWith("chunk"));
  if (unforeseen.length > 0) throw new Error(`What loads later imports what is loaded: ${unforeseen}`);
  return files;
}
