import { join } from "node:path";
import { openSqliteControlPlane } from "@assay/storage";
import type { Page } from "playwright-core";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricBody } from "../../../apps/server/src/test-support/experiments.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { changeScene, createScene, daysAgo, runNight, sendUsers } from "./support/scenes.ts";

const WAIT = { timeout: 80_000 };
const MANY = 1000;

let dashboard: Dashboard;

beforeAll(async () => {
  if (CHROMIUM === null) return;
  dashboard = await openDashboard();
});
afterAll(() => dashboard?.close());

const rows = (page: Page) => page.getByRole("row").filter({ has: page.getByRole("rowheader") });
const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
const CUT_BADGES = `[...document.querySelectorAll(".experiments-table .badge")].filter((badge) => badge.scrollWidth > badge.clientWidth).map((badge) => badge.textContent)`;
const STATE = /No traffic|Withheld: split is off|Stopped: inconclusive|Draft/;
const isTooWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

async function expectClean(tab: Tab): Promise<void> {
  expect(await tab.violations()).toEqual([]);
  expect(tab.complaints).toEqual([]);
}

describe.skipIf(CHROMIUM === null)("the experiments list", () => {
  test("the demo is loaded and removed with one press each", async () => {
    const tab = await dashboard.open();
    const { page } = tab;
    await tab.goto("/");
    await page.getByRole("button", { name: "Load the recorded demo" }).waitFor(WAIT);
    await page.getByRole("button", { name: "Load the demo experiment" }).click(WAIT);
    await row(page, "DEMO").waitFor({ timeout: 80_000 });
    expect(await row(page, "DEMO").innerText()).toContain("support-tone");
    await expectClean(tab);
    expect(
      await row(page, "DEMO")
        .getByTitle(/^[\d,]+\susers, [\d,]+\sexposures$/)
        .count(),
    ).toBe(1);
    await page.getByRole("button", { name: "Remove the demo" }).click(WAIT);
    await page.getByText("No experiments yet.", { exact: true }).waitFor(WAIT);
    await page.getByText("You can load it again at any time.").waitFor(WAIT);
    await tab.context.close();
  });

  test("states have labels, and experiments that need attention come first", async () => {
    const { service } = dashboard;
    const split = await createScene(service, "checkout tone");
    await sendUsers(service, split, { day: daysAgo(1), users: 300, conciseOfTen: 7 });
    expect(await runNight(service, split, daysAgo(1))).toBe("withheld");
    await createScene(service, "planned", { status: "draft" });
    const over = await createScene(service, "over");
    await changeScene(service, over, { status: "stopped", decision: { outcome: "inconclusive" } });
    await createScene(service, "greeting");
    const tab = await dashboard.open({ width: 1440 });
    await tab.goto("/");
    await row(tab.page, "greeting").waitFor(WAIT);
    const shown = await rows(tab.page).allInnerTexts();
    expect(shown.map((text) => text.split(/[\n\t]/)[0]?.trim())).toEqual([
      "checkout tone",
      "greeting",
      "over",
      "planned",
    ]);
    expect(shown.map((text) => STATE.exec(text)?.[0])).toEqual([
      "Withheld: split is off",
      "No traffic",
      "Stopped: inconclusive",
      "Draft",
    ]);
    expect(await tab.page.evaluate(CUT_BADGES)).toEqual([]);
    await tab.page.getByTitle("control 30% · concise 70%").first().waitFor(WAIT);
    await row(tab.page, "checkout tone")
      .getByRole("link", { name: /^Find the cause/ })
      .waitFor(WAIT);
    await tab.page.getByText("4 experiments · 1 needs attention").waitFor(WAIT);
    await expectClean(tab);
    await tab.context.close();
  });

  test("filters are in the URL, and an empty result offers a reset", async () => {
    const tab = await dashboard.open({ scheme: "dark" });
    const { page } = tab;
    await tab.goto("/?state=draft");
    await row(page, "planned").waitFor(WAIT);
    expect(await rows(page).count()).toBe(1);
    await page.getByRole("button", { name: /^Any state|Draft/ }).click(WAIT);
    await page.getByRole("option", { name: "All stopped" }).click(WAIT);
    await row(page, "over").waitFor(WAIT);
    expect(page.url()).toContain("status%3Astopped");

    await page.getByRole("searchbox", { name: "Name" }).fill("nothing like it");
    await page.getByText("No experiments match.").waitFor(WAIT);
    expect(page.url()).toContain("q=nothing");
    await expectClean(tab);
    await page.getByRole("button", { name: "Show all experiments" }).click(WAIT);
    await page.getByText("4 experiments · 1 needs attention").waitFor(WAIT);
    expect(new URL(page.url()).search).toBe("");
    expect(await page.getByRole("searchbox", { name: "Name" }).inputValue()).toBe("");

    await page.getByText("Needs attention", { exact: true }).click(WAIT);
    await page.getByText("1 of 4 experiments").waitFor(WAIT);
    await tab.context.close();
  });

  test("the command palette opens pages and experiments by keyboard", async () => {
    const tab = await dashboard.open();
    const { page } = tab;
    await tab.goto("/");
    // The page's effects requested what is loaded, so those that listen to keys have run as well.
    await row(page, "greeting").waitFor(WAIT);
    await page.keyboard.press("/");
    await page.getByRole("dialog", { name: "Search or go to" }).waitFor(WAIT);
    await expectClean(tab);
    await page.keyboard.type("checkout");
    await page.getByRole("menuitem", { name: "checkout tone" }).waitFor(WAIT);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "checkout tone" }).waitFor(WAIT);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search or go to" }).waitFor(WAIT);
    await page.keyboard.type("zzz");
    await page.getByText("No matches.").waitFor(WAIT);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ ...WAIT, state: "detached" });
    expect(tab.complaints).toEqual([]);
    await tab.context.close();
  });

  test("the command palette finds shared metrics and people, which load when it opens, and acts", async () => {
    const metric = { ...metricBody("tone_score", { kind: "binary" }), shared_org_wide: true };
    const scene = await createScene(dashboard.service, "with a shared metric", {
      status: "draft",
      metrics: [metric],
    });
    const tab = await dashboard.open({ role: "admin", email: "ann@example.com" });
    const { page } = tab;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const lists = () => asked.filter((path) => path === "/v1/metrics" || path === "/v1/members").toSorted();
    const entry = (name: string) => page.getByRole("menuitem", { name });
    const type = async (text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Search or go to" }).waitFor(WAIT);
      await page.keyboard.type(text);
    };
    await tab.goto("/");
    await row(page, "greeting").waitFor(WAIT);
    expect(lists()).toEqual([]);

    await type("score tone");
    await entry("tone_score").waitFor(WAIT);
    expect(lists()).toEqual(["/v1/members", "/v1/metrics"]);
    await expectClean(tab);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "tone_score" }).waitFor(WAIT);
    await type("ann@");
    await entry("ann@example.com").click(WAIT);
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor(WAIT);
    await type("create key");
    await entry("Create a key").click(WAIT);
    await page.getByRole("heading", { level: 1, name: "Keys & webhooks" }).waitFor(WAIT);

    await type("keyboard");
    await entry("Keyboard shortcuts").click(WAIT);
    await page
      .getByRole("dialog", { name: "Keyboard shortcuts" })
      .getByRole("table", { name: "On every page" })
      .waitFor(WAIT);
    expect(await page.getByRole("dialog").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ ...WAIT, state: "detached" });
    await type("sign");
    await entry("Sign out").click(WAIT);
    await page.waitForURL(/\/sign-in$/, WAIT);
    await tab.context.close();
    await dashboard.service.call("DELETE", `/v1/experiments/${scene.id}`);
  });

  test("the command palette loads the demo", async () => {
    const tab = await dashboard.open();
    const { page } = tab;
    await tab.goto("/settings");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("load demo");
    await page.getByRole("menuitem", { name: "Load the demo" }).click(WAIT);
    await row(page, "DEMO").waitFor(WAIT);
    await page.keyboard.press("Control+k");
    await page.getByRole("menuitem", { name: "New experiment" }).waitFor(WAIT);
    expect(await page.getByRole("menuitem", { name: "Load the demo" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove the demo" }).click(WAIT);
    await row(page, "DEMO").waitFor({ ...WAIT, state: "detached" });
    expect(tab.complaints).toEqual([]);
    await tab.context.close();
  });

  test("keys go to pages, move between rows, and are listed; none does anything while typing", async () => {
    const tab = await dashboard.open();
    const { page } = tab;
    const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    const press = async (...all: readonly string[]) => {
      for (const key of all) await page.keyboard.press(key);
    };
    await tab.goto("/");
    await row(page, "greeting").waitFor(WAIT);
    for (const [key, title] of [
      ["c", "Calls"],
      ["j", "Judges"],
      ["m", "Metrics"],
      ["u", "Usage & plan"],
      ["a", "Audit"],
      ["s", "Settings"],
      ["e", "Experiments"],
    ] as const) {
      await press("g", key);
      await heading(title).waitFor(WAIT);
    }

    await row(page, "greeting").waitFor(WAIT);
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    const seen: string[] = [];
    for (const key of ["j", "j", "j", "k", "k", "k"]) {
      await press(key);
      seen.push(await focused());
    }
    expect(seen).toEqual(["checkout tone", "greeting", "over", "greeting", "checkout tone", "checkout tone"]);

    await press("?");
    await keys.waitFor(WAIT);
    await keys.getByRole("table", { name: "In the list of experiments" }).waitFor(WAIT);
    await expectClean(tab);
    // In a dialog, no key of the page does anything, and no second dialog opens.
    await press("?", "/", "g", "c", "j");
    expect(await page.getByRole("dialog").count()).toBe(1);
    await press("Escape");
    await keys.waitFor({ ...WAIT, state: "detached" });
    expect(await focused()).toBe("checkout tone");
    await press("g", "Control+e", "Alt+c");
    await page.getByRole("searchbox", { name: "Name" }).focus(WAIT);
    await page.keyboard.type("gj?gc");
    expect(await page.getByRole("searchbox", { name: "Name" }).inputValue()).toBe("gj?gc");
    await page.getByText("No experiments match.").waitFor(WAIT);
    await page.getByRole("button", { name: "Show all experiments" }).click(WAIT);
    await row(page, "greeting").waitFor(WAIT);
    expect([await heading("Experiments").isVisible(), await page.getByRole("dialog").count()]).toEqual([
      true,
      0,
    ]);
    await press("j", "j", "Enter");
    await heading("greeting").waitFor(WAIT);
    expect(tab.complaints).toEqual([]);
    await tab.context.close();
  });

  test("on a narrow screen, the menu opens, navigates and closes", async () => {
    const tab = await dashboard.open({ width: 390 });
    const { page } = tab;
    await tab.goto("/");
    await row(page, "greeting").waitFor(WAIT);
    const navigation = page.getByRole("navigation", { name: "Main" });
    expect([await navigation.isVisible(), await page.evaluate(isTooWide)]).toEqual([false, false]);
    await page.getByRole("button", { name: "Menu" }).click(WAIT);
    await navigation.waitFor(WAIT);
    await expectClean(tab);
    await navigation.getByRole("link", { name: "Judges" }).click(WAIT);
    await page.getByRole("heading", { level: 1, name: "Judges" }).waitFor(WAIT);
    await navigation.waitFor({ ...WAIT, state: "hidden" });
    await tab.context.close();
  });

  test("headers sort, in the address and by keyboard; the table stays one down to 900 pixels", async () => {
    for (const width of [1440, 1024, 900]) {
      const tab = await dashboard.open({ width });
      const { page } = tab;
      const names = async () =>
        (await rows(page).getByRole("rowheader").allInnerTexts()).map((text) => text.trim());
      await tab.goto("/?sort=-name");
      await expect.poll(names, WAIT).toEqual(["planned", "over", "greeting", "checkout tone"]);
      const head = page.getByRole("columnheader", { name: "Experiment" });
      expect(await head.getAttribute("aria-sort")).toBe("descending");
      await page.getByRole("button", { name: "Users" }).focus(WAIT);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
      await expect.poll(async () => (await names())[0], WAIT).toBe("checkout tone");
      expect(page.url()).toContain("sort=-users");
      for (const one of await rows(page).all()) expect((await one.boundingBox())?.height).toBe(44);
      expect(await page.evaluate(isTooWide)).toBe(false);
      await expectClean(tab);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/list-${width}.png` });
      await tab.context.close();
    }
  });

  test("a thousand experiments keep few rows in the document, and scroll to the last", async () => {
    await createMany();
    const tab = await dashboard.open();
    const { page } = tab;
    await tab.goto("/");
    await page.getByText(/^1,004\sexperiments/).waitFor(WAIT);
    expect(await rows(page).count()).toBeLessThan(60);
    expect(await page.getByRole("table").getAttribute("aria-rowcount")).toBe("1005");
    console.log(`A list of 1,000, scrolled to its end: ${await page.evaluate<string>(SCROLL)}`);
    await row(page, "planned").waitFor(WAIT);
    expect(await rows(page).count()).toBeLessThan(60);
    expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeLessThan(
      1_004 * 44 + 700,
    );
    // Tab reaches rows that were not in the document.
    await page.evaluate("scrollTo(0, 0)");
    await page.locator("tr[aria-rowindex='2']").getByRole("link").first().focus(WAIT);
    for (let press = 0; press < 60; press++) await page.keyboard.press("Tab");
    const reached = await page.evaluate<string>(
      "document.activeElement.closest('tr')?.getAttribute('aria-rowindex')",
    );
    expect(Number(reached)).toBeGreaterThan(18);
    await page.getByRole("searchbox", { name: "Name" }).fill("many 777");
    await page.getByText("1 of 1,004 experiments").waitFor(WAIT);
    await expectClean(tab);
    await tab.context.close();
  });
});

/** Scrolls to the end, three screens per frame, and reports the cost. */
const SCROLL = `new Promise((done) => {
  const longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  const frames = [];
  let before = performance.now();
  const step = (now) => {
    frames.push(now - before);
    before = now;
    const end = document.documentElement.scrollHeight - innerHeight;
    if (scrollY < end - 1) {
      scrollBy(0, 3 * innerHeight);
      requestAnimationFrame(step);
      return;
    }
    frames.sort((one, other) => one - other);
    const at = (share) => Math.round(frames[Math.floor(share * (frames.length - 1))]);
    done(frames.length + " frames, median " + at(0.5) + " ms, p95 " + at(0.95) + " ms, slowest " + at(1) + " ms; " + longTasks.length + " tasks over 50 ms");
  };
  requestAnimationFrame(step);
})`;

/** Drafts, so that nobody needs to act on them; past the API, which would take half a minute for a thousand. */
async function createMany(): Promise<void> {
  const { dataDir } = dashboard.service;
  const control = openSqliteControlPlane({ file: join(dataDir, "control.sqlite"), newId: () => uuidv7() });
  const { body } = await dashboard.service.call<{ org_id: string; user_id: string }>("GET", "/v1/whoami");
  const [oldest] = (await control.experiments.list(body.org_id)).filter(
    ({ config }) => config.name === "planned",
  );
  if (oldest === undefined) throw new Error("There is no draft to copy.");
  await control.transaction(async ({ experiments }) => {
    for (let number = 0; number < MANY; number++) {
      const config = { ...oldest.config, name: `many ${number}` };
      await experiments.create({
        ...oldest,
        config,
        id: uuidv7(),
        version: 1,
        at: Date.now(),
        by: body.user_id,
      });
    }
  });
  await control.close();
}
