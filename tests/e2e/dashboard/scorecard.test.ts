import { startOfDay, toInstant } from "@assay/domain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricBody } from "../../../apps/server/src/test-support/experiments.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { createScene, daysAgo, runNight, sendEvents } from "./support/scenes.ts";

const PATIENCE_MS = 60_000;
const ARMS = ["control", "b", "c"];
const LONG = "a_metric_whose_name_is_longer_than_a_phone_is_wide";

/** The texts of cells that reach into the bar or the p beside them. */
const OVERLAPS = `[...document.querySelectorAll(".score-box")].flatMap((box) => {
  const places = [...box.children].map((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return { text: part.textContent, left, right, top, bottom };
  });
  const meet = (a, b) => a.right > b.left + 1 && a.left < b.right - 1 && a.bottom > b.top + 1 && a.top < b.bottom - 1;
  return places.flatMap((a, at) => places.slice(at + 1).flatMap((b) => (meet(a, b) ? [a.text + " | " + b.text] : [])));
})`;

let dashboard: Dashboard;
let tab: Tab;
let page: Page;
let path = "";

/** Nobody of control buys, every second user of b does; a guardrail has a long name, and another has no result. */
async function build(): Promise<void> {
  const { service } = dashboard;
  const experiment = await createScene(service, "three-arms", {
    allocation: ARMS.map((variant) => ({ variant, weight: 1 })),
    variants: ARMS.map((key) => ({ key, prompt: `Be ${key}.` })),
    metrics: [
      metricBody("bought", { kind: "binary", role: "primary" }),
      metricBody(LONG, { kind: "binary", role: "guardrail", margin: 0.01 }),
      metricBody("refunds", { kind: "mean", role: "guardrail", desired: "decrease", margin: 1 }),
    ],
  });
  path = `/experiments/${experiment.id}`;
  const events = Array.from({ length: 750 }, (_, user) => {
    const id = `arms-${user}`;
    const variant = ARMS[user % ARMS.length];
    const timestamp = toInstant(startOfDay(daysAgo(1)) + 60_000);
    const common = { experiment_id: experiment.id, user_id: id, variant, timestamp };
    const done = (business_metric: string) => ({
      ...common,
      event_id: `${id}-${business_metric}`,
      type: "business_event",
      business_metric,
    });
    return [
      { ...common, event_id: `${id}-exposure`, type: "exposure" },
      ...(variant === "b" && user % 2 === 0 ? [done("bought")] : []),
      ...(user % 5 === 0 ? [done(LONG)] : []),
    ];
  });
  await sendEvents(service, events.flat());
  expect(await runNight(service, experiment, daysAgo(1))).toBe("computed");
}

describe.skipIf(CHROMIUM === null)("the scorecard of several treatments", () => {
  beforeAll(async () => {
    dashboard = await openDashboard();
    await build();
    tab = await dashboard.open();
    page = tab.page;
    page.setDefaultTimeout(PATIENCE_MS);
  });
  afterAll(() => dashboard?.close());

  test("keeps the verdict and the corrected p of a row that has no relative change", async () => {
    await tab.goto(path);
    const cell = page
      .getByRole("row", { name: /bought/ })
      .getByRole("cell")
      .nth(1);
    await cell.getByText("No relative change, because control is not above 0.").waitFor();
    await cell.getByText("Better").waitFor();
    await cell.getByText("< 0.0001").waitFor();
    expect(await tab.violations()).toEqual([]);
  });

  test.each(["Relative", "Absolute", "Per 10,000 users"])(
    "shows numbers, bar and p without overlap: %s",
    async (mode) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await tab.goto(path);
      await page.getByText(mode, { exact: true }).click();
      await page.getByRole("row", { name: LONG }).getByText(/ to /).first().waitFor();
      expect(await page.evaluate<readonly string[]>(OVERLAPS)).toEqual([]);
    },
  );

  test("leads to the details of every treatment, and keeps the focus", async () => {
    await tab.goto(path);
    await page.getByRole("link", { name: "bought" }).click();
    const variants = page.getByRole("navigation", { name: "Variants" });
    await variants.getByRole("link", { name: "c" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "bought: c vs control" }).waitFor();
    expect(page.url()).toContain("metric=bought%3A%3Ac");
    expect(await variants.getByRole("link", { name: "c" }).getAttribute("aria-current")).toBe("page");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("c");
    expect(await tab.violations()).toEqual([]);
    await page.keyboard.press("Escape");
  });

  test("and the pages about it fit on a phone, however long a metric's name is", async () => {
    const phone = await dashboard.open({ width: 320, scheme: "dark" });
    const pages = [
      path,
      ...["decide", "report", "health", "live", "setup"].map((tab) => `${path}/${tab}`),
      "/catalogue",
    ];
    for (const shown of pages) {
      await phone.goto(shown);
      await phone.page.getByRole("heading", { level: 1 }).waitFor();
      expect(await phone.page.evaluate("document.documentElement.scrollWidth"), shown).toBeLessThanOrEqual(
        320,
      );
    }
    await phone.goto(path);
    await phone.page.getByText(/refunds, a guardrail, has no result yet/).waitFor();
    await phone.context.close();
  });

  test("is marked when events were set aside since the run, and so is the recommendation", async () => {
    const body = { reason: "A bot.", match: { user_ids: ["arms-0"] } };
    const { status } = await dashboard.service.call("POST", `/v1${path}/exclusions`, { body });
    expect(status).toBe(201);
    for (const shown of [path, `${path}/decide`]) {
      await tab.goto(shown);
      await page.getByText("do not include the latest change to what is set aside").waitFor();
      expect(await tab.violations()).toEqual([]);
    }
    await page.getByRole("link", { name: "View what is set aside" }).click();
    await page.waitForURL("**/health");
  });

  test("shows the day only after the first run, which knows the first exposure", async () => {
    const { id } = await createScene(dashboard.service, "no-run-yet");
    await tab.goto(`/experiments/${id}`);
    await page.getByText("0 users · version 1").waitFor();
    expect(await page.getByText(/Day \d/).count()).toBe(0);
    await tab.goto(path);
    await page.getByText("Day 2 · 749 users · version 1").waitFor();
  });

  test("logs no errors", () => expect(tab.complaints).toEqual([]));
});
