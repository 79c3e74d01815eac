import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type Bundle, bundle, SHORT_NAMES } from "../scripts/bundle.ts";
import { Client } from "../src/client.ts";

/** Size limits for a page: the client, and the additional code that observes model calls. */
const CORE_BYTES = 7_168;
const WRAP_BYTES = 5_120;

/** Size limit of the code that is loaded later, to keep undelivered events. */
const LATER_BYTES = 1_536;

const gzipped = (text: string) => gzipSync(text, { level: 9 }).length;

/** Compressed bytes of an entry in a page's bundle: at the start, and later. */
async function sizesOf(entry: Bundle["entry"]): Promise<readonly [start: number, later: number]> {
  const files = await bundle({ entry, runtime: "browser", format: "esm", minify: true });
  const [start = 0, ...later] = [...files.values()].map(gzipped);
  return [start, later.reduce((sum, bytes) => sum + bytes, 0)];
}

const [core, later] = await sizesOf("core");
const wrap = (await sizesOf("index"))[0] - core;
const [aiSdk] = await sizesOf("ai-sdk");
console.info(
  `@assay/client in a browser, gzip: core ${core} bytes, and ${later} later; wrap ${wrap} bytes more, ai-sdk ${aiSdk}.`,
);

test("the core of the client stays within its size", () => {
  expect(core).toBeLessThanOrEqual(CORE_BYTES);
});

test("what the core loads later stays within its size", () => {
  expect(later).toBeGreaterThan(0);
  expect(later).toBeLessThanOrEqual(LATER_BYTES);
});

test("the observation of model calls stays within its size", () => {
  expect(wrap).toBeLessThanOrEqual(WRAP_BYTES);
});

describe("a name that bundles shorten", () => {
  const repository = resolve(import.meta.dirname, "../../..");
  const textOf = (pattern: string) =>
    globSync(pattern, { cwd: repository })
      .map((path) => readFileSync(resolve(repository, path), "utf8"))
      .join("\n");
  const sources = textOf("clients/typescript/src/**/*.ts") + textOf("packages/bucketing/src/*.ts");
  const options = readFileSync(resolve(repository, "clients/typescript/src/client-options.ts"), "utf8");
  const wire = textOf("vectors/**/*.json");
  // IndexedDB keeps the events as they are, and finds them by these names.
  const kept = /interface KeptEvent \{.*?\n\}/s.exec(textOf("clients/typescript/src/offline-store.ts"))![0];
  const foreign = textOf("clients/{openfeature,react}/src/*.ts");

  test.each(Object.keys(SHORT_NAMES))(
    "%s is used, and is neither public, nor on the wire, nor stored",
    (name) => {
      const property = new RegExp(`\\b${name}\\??:|\\.${name}\\b`);
      expect(sources).toMatch(new RegExp(`\\b${name}\\b`));
      expect(options).not.toMatch(property);
      expect(foreign).not.toMatch(property);
      expect(wire).not.toContain(`"${name}":`);
      expect(kept).not.toMatch(property);
      expect(name in Client.prototype).toBe(false);
      expect(name in globalThis).toBe(false);
    },
  );
});
