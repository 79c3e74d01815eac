import { ENTRIES } from "./bundle.ts";

/** What the published package takes from the repository's package.json. */
export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly license: string;
  readonly homepage: string;
  readonly repository: object;
  readonly bugs: string;
  readonly publishConfig: object;
}

/** Makes the published package.json: built files instead of sources, and no dependencies. */
export function toManifest(source: SourceManifest) {
  const { name, version, description, keywords, license, homepage, repository, bugs, publishConfig } = source;
  return {
    ...{ name, version, description, keywords, license, homepage, repository, bugs, publishConfig },
    type: "module",
    sideEffects: false,
    engines: { node: ">=18" },
    exports: {
      ".": conditionsOf("index"),
      "./core": conditionsOf("core"),
      "./agent": conditionsOf("agent"),
      "./ai-sdk": conditionsOf("ai-sdk"),
      "./langchain": conditionsOf("langchain"),
      "./openai-agents": conditionsOf("openai-agents"),
      "./rendering": conditionsOf("rendering"),
      "./testing": conditionsOf("testing"),
      "./package.json": "./package.json",
    },
    // For tools that do not read `exports`.
    main: "./cjs/index.node.cjs",
    types: "./types/index.d.ts",
    typesVersions: { "*": Object.fromEntries(ENTRIES.map((entry) => [entry, [`./types/${entry}.d.ts`]])) },
    // For a page's script element.
    unpkg: "./iife/index.js",
    jsdelivr: "./iife/index.js",
  };
}

function conditionsOf(entry: string) {
  return {
    import: { types: `./types/${entry}.d.ts`, ...runtimesOf(`./esm/${entry}`, "js") },
    require: { types: `./types/${entry}.d.cts`, ...runtimesOf(`./cjs/${entry}`, "cjs") },
  };
}

/** The order decides: bundlers for Cloudflare's workers and for the edge runtime of Vercel and Next.js set `browser` too. */
function runtimesOf(path: string, ending: string) {
  return {
    workerd: `${path}.worker.${ending}`,
    "edge-light": `${path}.worker.${ending}`,
    browser: `${path}.browser.${ending}`,
    node: `${path}.node.${ending}`,
    default: `${path}.worker.${ending}`,
  };
}
