import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { PAGES } from "./support/pages.ts";

/** Of the whole page load. Core Web Vitals call .1 good. */
const MAX_SHIFT = 0.05;
const WIDTHS = [1440, 390] as const;
const { SHOTS } = process.env;

let dashboard: Dashboard;
let experiment: string;

beforeAll(async () => {
  if (CHROMIUM === null) return;
  dashboard = await openDashboard();
  const { service } = dashboard;
  await service.call("POST", "/v1/demo", { body: { demo: "support-tone" } });
  const { body } = await service.call<readonly { id: string }[]>("GET", "/v1/experiments");
  experiment = body[0]!.id;
}, 300_000);
afterAll(() => dashboard?.close());

interface Load {
  readonly shift: number;
  /** Epoch-relative milliseconds of the largest paint. */
  readonly lcp: number;
  readonly kilobytes: number;
  readonly sources: readonly string[];
}

/** Runs in the page, before its scripts. */
const OBSERVE = `
  window.load = { shift: 0, lcp: 0, sources: [] };
  const rect = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      window.load.shift += value;
      for (const { node, previousRect, currentRect } of sources) {
        const element = node instanceof Element ? node : node?.parentElement;
        const name = element ? element.tagName + "." + element.className : "?";
        window.load.sources.push(value.toFixed(3) + " " + name + ": " + rect(previousRect) + " → " + rect(currentRect));
      }
    }
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    window.load.lcp = Math.round(list.getEntries().at(-1).startTime);
  }).observe({ type: "largest-contentful-paint", buffered: true });`;

const READ = `({
  ...window.load,
  kilobytes: Math.round(performance.getEntriesByType("resource").reduce((sum, { transferSize }) => sum + transferSize, 0) / 1024),
})`;

async function loadOf({ page, goto }: Tab, path: string): Promise<Load> {
  await goto(path);
  // What shifts late still counts.
  await page.waitForTimeout(300);
  return page.evaluate<Load>(READ);
}

/** Loads a page in a profile of its own, in which nothing is cached. */
async function loadOnce(page: string, width: number): Promise<Load> {
  const tab = await dashboard.open({ width });
  await tab.context.addInitScript(OBSERVE);
  const load = await loadOf(tab, page.replace("ID", experiment));
  if (SHOTS !== undefined) {
    const { shift, lcp, kilobytes } = load;
    const name = page.replaceAll("/", "_");
    mkdirSync(SHOTS, { recursive: true });
    await tab.page.screenshot({ path: join(SHOTS, `load${name}_${width}.png`) });
    console.log(`${page} ${width}: CLS ${shift.toFixed(3)}, LCP ${lcp} ms, ${kilobytes} KB`);
  }
  await tab.context.close();
  return load;
}

describe.skipIf(CHROMIUM === null)("a loading page", () => {
  test.each(WIDTHS)("does not shift its content, at %i pixels", { timeout: 280_000 }, async (width) => {
    const moved: string[] = [];
    for (const page of PAGES) {
      let load = await loadOnce(page, width);
      // On a busy machine a part may load more slowly than the page waits for it, and the page moves: it has three tries.
      for (let again = 0; again < 2 && load.shift >= MAX_SHIFT; again++) load = await loadOnce(page, width);
      const { shift, sources } = load;
      if (shift >= MAX_SHIFT)
        moved.push(`${page}: ${shift.toFixed(3)}\n  ${sources.slice(0, 6).join("\n  ")}`);
    }
    expect(moved.join("\n")).toBe("");
  });
});
