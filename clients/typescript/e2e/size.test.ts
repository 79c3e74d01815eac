import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type Bundle, bundle } from "../scripts/bundle.ts";

/** Size limits for a page: the client, and the additional code that observes model calls. */
const CORE_BYTES = 7_168;
const WRAP_BYTES = 5_120;

/** Size limit of the code that is loaded later. */
const LATER_BYTES = 2_304;

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
const [agent] = await sizesOf("agent");
console.info(
  `@assay/client in a browser, gzip: core ${core} bytes, and ${later} later; wrap ${wrap} bytes more, ai-sdk ${aiSdk}.`,
);

test("the README's sizes hold to within a hundredth", () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../README.md"), "utf8");
  const told = (row: string) => Number(readme.split(`\n| ${row}`)[1]?.split("|")[1]?.trim().replace(",", ""));
  const sizes = [
    ["`@assay/client/core`", core],
    ["`@assay/client`:", core + wrap],
    ["loaded later by each of these", later],
    ["`@assay/client/ai-sdk`", aiSdk],
    ["`@assay/client/agent`", agent],
  ] as const;
  for (const [row, size] of sizes)
    expect(Math.abs(told(row) - size), `${row} is ${size}`).toBeLessThan(size / 100);
});

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
