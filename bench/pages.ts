import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import { bundle } from "../clients/typescript/scripts/bundle.ts";
import { findChromium } from "../clients/typescript/test-support/chromium.ts";
import { ROOT } from "./harness/program.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { ratioOf } from "./harness/time-calls.ts";
import { PAGE_CLIENTS, type PageClient } from "./rivals/page-clients.ts";

/** Folder in which npm installs the other libraries on first use. */
const FOLDER = join(ROOT, "node_modules/.cache/page-clients");
const ROUNDS = sized(9, 2);
/** The page's clock has steps of 0.1 ms, and other programs interrupt some batches. */
const BATCHES = sized(21, 3);
const DECISIONS = sized(10_000, 500);

interface Times {
  /** Milliseconds from the start of the bundle to the first decision. */
  readonly first: number;
  /** Nanoseconds per later decision, in the median batch. */
  readonly later: number;
}

/** Compares libraries for experiments in pages: what a page loads, and how fast it decides in Chromium. */
export async function benchPages(): Promise<void> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("The pages part needs Chromium.");
  install();
  const bundles = await Promise.all(PAGE_CLIENTS.map(bundleOf));
  const sizes = bundles.map((text) => gzipSync(text, { level: 9 }).length);
  const times: Times[][] = PAGE_CLIENTS.map(() => []);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, text] of bundles.entries()) times[index]!.push(await timesOf(browser, text));
    }
  } finally {
    await browser.close();
  }
  const rows = PAGE_CLIENTS.map(({ name, packaged }, index) => {
    const [first, later] = (["first", "later"] as const).map((time) => times[index]!.map((all) => all[time]));
    const [ourFirst, ourLater] = (["first", "later"] as const).map((time) =>
      times[0]!.map((all) => all[time]),
    );
    return [
      packaged === null ? name : `${name} (\`${packaged}\`)`,
      formatFigure(sizes[index]!),
      formatFigure(sizes[index]! / sizes[0]!),
      formatSpread(ratioOf(first!, ourFirst!)),
      formatSpread(spreadOf(first!)),
      formatSpread(ratioOf(later!, ourLater!)),
      formatSpread(spreadOf(later!)),
    ];
  });
  printTable(
    "pages: a decision in a page",
    "Each library decides for one user in the page, set up as its documentation says, and sends nothing. **Bytes**: the minified bundle, " +
      "gzipped. **First**: from the start of the bundle to the first decision, in a new Chromium page.",
    [["library", "bytes", "bytes ÷ ours", "first ÷ ours", "first, ms", "later ÷ ours", "later, ns"], ...rows],
  );
}

function install(): void {
  mkdirSync(FOLDER, { recursive: true });
  const options = ["--no-save", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  const packages = PAGE_CLIENTS.flatMap(({ packaged }) => packaged ?? []);
  const { status, stderr } = spawnSync("npm", ["install", "--prefix", FOLDER, ...options, ...packages], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

/** Bundles a library with the program that uses it, as the global `decider`. */
async function bundleOf({ source }: PageClient): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: FOLDER },
    ...{
      bundle: true,
      minify: true,
      format: "iife",
      globalName: "decider",
      platform: "browser",
      write: false,
    },
    plugins: [OURS],
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}

/** Resolves our bundles as the package contains them. Leaves out what a page loads later. */
const OURS: Plugin = {
  name: "ours",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/lazy\.browser\.js$/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /^\.\/(core|index)\.browser\.js$/ }, ({ path }) => ({ path, namespace: "ours" }));
    onLoad({ filter: /.*/, namespace: "ours" }, async ({ path }) => {
      const entry = path.includes("core") ? "core" : "index";
      const files = await bundle({ entry, runtime: "browser", format: "esm", minify: true });
      return { contents: files.get(`${entry}.browser.js`)! };
    });
  },
};

async function timesOf(browser: Browser, text: string): Promise<Times> {
  const page = await browser.newPage();
  try {
    // Nothing leaves the machine: every request is answered here.
    await page.route("**/*", (route) => route.fulfill({ contentType: "text/html", body: "{}" }));
    await page.goto("http://page.invalid/");
    return await page.evaluate(measure, { text, batches: BATCHES, decisions: DECISIONS });
  } finally {
    await page.close();
  }
}

/** Runs in the page. */
function measure({ text, batches, decisions }: { text: string; batches: number; decisions: number }): Times {
  const begin = performance.now();
  const decide = new Function(`${text}; return decider.start();`)() as () => unknown;
  const variant = decide();
  const first = performance.now() - begin;
  if (variant !== "control" && variant !== "short") throw new Error(`no decision: ${variant}`);
  const all = Array.from({ length: batches }, () => {
    const start = performance.now();
    for (let i = 0; i < decisions; i++) decide();
    return performance.now() - start;
  });
  const median = all.sort((a, b) => a - b)[Math.floor(batches / 2)]!;
  return { first, later: (median / decisions) * 1e6 };
}
