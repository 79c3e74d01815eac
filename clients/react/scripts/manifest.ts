/** The fields that the published package takes from the repository's package.json. */
export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<"@assay/client", string>>;
}

/**
 * Creates the published package.json. The application installs React and the client itself, because two copies of one
 * would not share state.
 */
export function toManifest({ name, version, description, license, dependencies }: SourceManifest) {
  return {
    name,
    version,
    description,
    license,
    type: "module",
    sideEffects: false,
    engines: { node: ">=18" },
    exports: {
      ".": {
        import: { types: "./index.d.ts", default: "./index.js" },
        require: { types: "./index.d.cts", default: "./index.cjs" },
      },
      "./package.json": "./package.json",
    },
    peerDependencies: {
      "@assay/client": `^${dependencies["@assay/client"]}`,
      react: "^18.0.0 || ^19.0.0",
    },
  };
}
