import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Experiment } from "../../../apps/dashboard/src/api/types.ts";
import { experimentBody } from "../../../apps/server/src/test-support/experiments.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const PATIENCE = { timeout: 80_000 };

describe.skipIf(CHROMIUM === null)("a running experiment", () => {
  let dashboard: Dashboard;
  let tab: Tab;
  let id: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    tab = await dashboard.open();
    const rollout = { stages: [5, 50], min_minutes: 60 };
    const body = experimentBody("tone", { assignment: "assay", rollout });
    id = (await dashboard.service.call<Experiment>("POST", "/v1/experiments", { body })).body.id;
  });
  afterAll(() => dashboard?.close());

  const button = (name: string) => tab.page.getByRole("button", { name, exact: true });
  const read = async () => (await dashboard.service.call<Experiment>("GET", `/v1/experiments/${id}`)).body;

  test("is held with a reason, says so, and is resumed with one click", async () => {
    const { page } = tab;
    await tab.goto(`/experiments/${id}`);
    await button("Hold…").click();
    await page.getByText("you can resume at any time").waitFor(PATIENCE);
    await page.getByRole("textbox", { name: "Why (optional)" }).fill("Too many errors.");
    expect(await tab.violations()).toEqual([]);
    await button("Hold it now").click();
    await page.getByText(/^Held since /).waitFor(PATIENCE);
    await page.getByText("Too many errors.").waitFor(PATIENCE);
    expect((await read()).holds).toMatchObject([{ reason: "Too many errors.", to: null }]);
    expect(await button("Hold…").count()).toBe(0);
    expect(await tab.violations()).toEqual([]);
    await button("Resume").click();
    await button("Hold…").waitFor(PATIENCE);
    expect((await read()).holds[0]?.to).not.toBeNull();
    await tab.goto(`/experiments/${id}/versions`);
    await page.getByText("holds").first().waitFor(PATIENCE);
  });

  test("shows its guard and its rollout apart from the results, and the guard is switched off and on", async () => {
    const { page } = tab;
    await tab.goto(`/experiments/${id}/live`);
    await page.getByRole("heading", { name: "Guard: the brake between the nights" }).waitFor(PATIENCE);
    await page.getByText("Rollout: stage 1 of 2, 5% of the users in treatments.").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await button("Switch the guard off").click();
    await button("Switch the guard on").waitFor(PATIENCE);
    expect((await read()).guard).toBeNull();
    await button("Switch the guard on").click();
    await button("Switch the guard off").waitFor(PATIENCE);
    expect((await read()).guard).toMatchObject({ error_rate: 0.01 });
    expect(tab.complaints).toEqual([]);
  });
});
