import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const LIMIT_BYTES = 250 * 1024;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

const dist = join(import.meta.dirname, "../dist");
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8")) as Record<string, Chunk>;

/** The scripts that the browser must have before these sources run. */
function scriptsOf(sources: readonly string[], seen = new Set<string>()): ReadonlySet<string> {
  for (const source of sources) {
    const chunk = manifest[source];
    if (chunk === undefined) throw new Error(`The build has no ${source}.`);
    if (seen.has(chunk.file)) continue;
    seen.add(chunk.file);
    scriptsOf(chunk.imports ?? [], seen);
  }
  return seen;
}

const gzippedBytes = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + statSync(join(dist, `${file}.gz`)).size, 0);

test.each([
  { page: "the list of experiments", source: "src/pages/experiments/ExperimentsPage.tsx" },
  { page: "the sign-in", source: "src/pages/sign-in/SignInPage.tsx" },
])("the first load of $page is at most 250 KB of gzipped script", ({ source }) => {
  expect(gzippedBytes(scriptsOf(["index.html", source]))).toBeLessThanOrEqual(LIMIT_BYTES);
});

test("pages are split: what draws charts is loaded by none at the start", () => {
  const charts = Object.keys(manifest).filter((source) => source.includes("@observablehq/plot"));
  expect(charts).not.toEqual([]);
  expect(scriptsOf(["index.html"])).not.toContain(manifest[charts[0]!]!.file);
});
