/** What the published package takes from the repository's package.json. */
export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

/** Makes the published package.json: built files instead of sources, and no dependencies. */
export function toManifest({ name, version, description, license }: SourceManifest) {
  return {
    name,
    version,
    description,
    license,
    type: "module",
    sideEffects: false,
    engines: { node: ">=18" },
    exports: {
      ".": conditionsOf("index"),
      "./core": conditionsOf("core"),
      "./ai-sdk": conditionsOf("ai-sdk"),
      "./langchain": conditionsOf("langchain"),
      "./rendering": conditionsOf("rendering"),
      "./testing": conditionsOf("testing"),
      "./package.json": "./package.json",
    },
  };
}

function conditionsOf(entry: string) {
  return {
    import: { types: `./types/${entry}.d.ts`, ...runtimesOf(`./esm/${entry}`, "js") },
    require: { types: `./types/${entry}.d.cts`, ...runtimesOf(`./cjs/${entry}`, "cjs") },
  };
}

/** The order decides: bundlers for Cloudflare's workers set `browser` too. */
function runtimesOf(path: string, ending: string) {
  return {
    workerd: `${path}.worker.${ending}`,
    browser: `${path}.browser.${ending}`,
    node: `${path}.node.${ending}`,
    default: `${path}.worker.${ending}`,
  };
}
