import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Experiment } from "../../../apps/dashboard/src/api/types.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const PATIENCE = { timeout: 80_000 };
const NOTICE = "Assignment is external: another system's flag";

describe.skipIf(CHROMIUM === null)("an experiment on another system's flag", () => {
  let dashboard: Dashboard;
  let tab: Tab;
  beforeAll(async () => {
    dashboard = await openDashboard();
    tab = await dashboard.open();
  });
  afterAll(() => dashboard?.close());

  const field = (name: string) => tab.page.getByRole("textbox", { name, exact: true });
  const button = (name: string) => tab.page.getByRole("button", { name });

  test("gets its flag key in the form, keeps it from the start on, and is not shipped", async () => {
    const { page } = tab;
    await tab.goto("/experiments/new");
    await field("Name").fill("on-a-flag");
    await page.getByText("Share of traffic", { exact: true }).waitFor(PATIENCE);
    await field("Flag key of another system (optional)").fill("checkout-tone");
    await expect.poll(() => page.getByText("Share of traffic", { exact: true }).count()).toBe(0);
    await button("Save as draft").click();
    await page.waitForURL(/\/experiments\/[0-9a-f]{8}-/, PATIENCE);
    await page.getByText(NOTICE).waitFor(PATIENCE);
    const { body } = await dashboard.service.call<readonly Experiment[]>("GET", "/v1/experiments");
    expect(body).toMatchObject([{ assignment: "external", flag_key: "checkout-tone", status: "draft" }]);
    const id = body[0]?.id ?? "";

    await tab.goto(`/experiments/${id}/change`);
    await page.getByText("Start it").click();
    await button("Review the change").click();
    await page.getByText("the flag checkout-tone gives them").waitFor(PATIENCE);
    await button("Save version 2").click();
    await page.getByRole("heading", { name: "Version 2 is in force" }).waitFor(PATIENCE);

    await tab.goto(`/experiments/${id}/change`);
    await page.getByText("Weights and share of traffic").click();
    expect(await field("Flag key of another system (optional)").isEditable()).toBe(false);
    await tab.goto(`/experiments/${id}/setup`);
    await page.getByText('"variant": "control"').waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await tab.goto(`/experiments/${id}/live`);
    await page.getByText("so a hold here would change nothing").waitFor(PATIENCE);
    await tab.goto(`/experiments/${id}/decide`);
    await page.getByText("The flag checkout-tone keeps giving users its variants").waitFor(PATIENCE);
    expect(await page.getByRole("button", { name: /^Ship / }).count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });
});
