/** The entries of the package: one for each SDK. */
export const ENTRIES = ["server", "web"] as const;

/** The fields that the published package takes from the repository's package.json. */
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
  readonly dependencies: Readonly<Record<"@assay/client", string>>;
  readonly devDependencies: Readonly<Record<`@openfeature/${"core" | "server-sdk" | "web-sdk"}`, string>>;
}

/**
 * Makes the published package.json. The application installs the client and one of the two SDKs itself, because two
 * copies of one would not share state.
 */
export function toManifest({ dependencies, devDependencies, ...source }: SourceManifest) {
  const { name, version, description, keywords, license, homepage, repository, bugs, publishConfig } = source;
  const tested = Object.entries({ ...dependencies, ...devDependencies });
  return {
    ...{ name, version, description, keywords, license, homepage, repository, bugs, publishConfig },
    type: "module",
    sideEffects: false,
    engines: { node: ">=18" },
    exports: {
      ...Object.fromEntries(ENTRIES.map((entry) => [`./${entry}`, conditionsOf(entry)])),
      "./package.json": "./package.json",
    },
    peerDependencies: Object.fromEntries(tested.map(([peer, tried]) => [peer, `^${tried}`])),
    peerDependenciesMeta: {
      "@openfeature/server-sdk": { optional: true },
      "@openfeature/web-sdk": { optional: true },
    },
  };
}

function conditionsOf(entry: string) {
  return {
    import: { types: `./${entry}.d.ts`, default: `./${entry}.js` },
    require: { types: `./${entry}.d.cts`, default: `./${entry}.cjs` },
  };
}
