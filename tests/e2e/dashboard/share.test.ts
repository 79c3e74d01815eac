import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireExperiment } from "../../../apps/server/src/test-support/experiments.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { createScene, daysAgo, runNight, sendUsers } from "./support/scenes.ts";

const PATIENCE = { timeout: 80_000 };
const { SHOTS } = process.env;

let dashboard: Dashboard;
let experiment: WireExperiment;
let tab: Tab;

beforeAll(async () => {
  if (CHROMIUM === null) return;
  dashboard = await openDashboard();
  experiment = await createScene(dashboard.service, "greeting");
  await sendUsers(dashboard.service, experiment, { day: daysAgo(1), users: 300 });
  await runNight(dashboard.service, experiment, daysAgo(1));
  tab = await dashboard.open();
}, 120_000);
afterAll(() => dashboard?.close());

async function shoot({ page }: Tab, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

/** A tab of somebody without an account. */
async function openStranger(width = 1280, scheme: "light" | "dark" = "light"): Promise<Tab> {
  const stranger = await dashboard.open({ width, scheme });
  await stranger.context.clearCookies();
  return stranger;
}

describe.skipIf(CHROMIUM === null)("a report", () => {
  test("is shared by a link with people without an account, until it is revoked", async () => {
    const { page } = tab;
    await tab.goto(`/experiments/${experiment.id}/report`);
    await page.getByRole("button", { name: "Share…" }).click(PATIENCE);
    const dialog = page.getByRole("dialog", { name: "Share this report" });
    await dialog.getByRole("button", { name: "Make a link" }).click(PATIENCE);
    const link = await dialog.getByLabel("The link").inputValue(PATIENCE);
    await dialog.getByRole("button", { name: "Revoke" }).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await shoot(tab, "share-dialog");

    const stranger = await openStranger();
    await stranger.goto(link);
    await stranger.page.getByRole("heading", { level: 1, name: "greeting" }).waitFor(PATIENCE);
    await stranger.page.getByRole("region", { name: "Table of comparisons" }).waitFor(PATIENCE);
    await stranger.page.getByText("This link is valid until").waitFor(PATIENCE);
    const asMember = await page.locator("main .report-verdict").innerText();
    expect(await stranger.page.locator("main .report-verdict").innerText()).toBe(asMember);
    expect(await stranger.page.getByRole("navigation").count()).toBe(0);
    expect(await stranger.violations()).toEqual([]);
    expect(stranger.complaints).toEqual([]);
    await shoot(stranger, "shared-report");
    // The fragment is all that is secret, and no request has it in its address.
    expect(dashboard.service.logged()).not.toContain(link.split("#")[1]);

    await dialog.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).waitFor({ state: "hidden", ...PATIENCE });
    await stranger.page.reload();
    await stranger.page.getByText("incomplete, expired or revoked").waitFor(PATIENCE);
    await page.keyboard.press("Escape");
    await stranger.context.close();
  });

  test("fits a narrow screen in the dark", async () => {
    const { body } = await dashboard.service.call<{ path: string }>(
      "POST",
      `/v1/experiments/${experiment.id}/report-links`,
      { body: {} },
    );
    const stranger = await openStranger(390, "dark");
    await stranger.goto(body.path);
    await stranger.page.getByRole("heading", { level: 1, name: "greeting" }).waitFor(PATIENCE);
    expect(await stranger.violations()).toEqual([]);
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await stranger.page.evaluate(overflow)).toBe(0);
    await shoot(stranger, "shared-report-390");
    await stranger.context.close();
  });

  test("an admin forbids links, and the dialog says so", async () => {
    const { page } = tab;
    await tab.goto("/settings");
    const panel = page.getByRole("region", { name: "Links to reports" });
    await panel.getByRole("button", { name: "Forbid links" }).click(PATIENCE);
    await panel.getByText("Links to reports are forbidden.").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await tab.goto(`/experiments/${experiment.id}/report`);
    await page.getByRole("button", { name: "Share…" }).click(PATIENCE);
    await page.getByText("Your organization does not allow links").waitFor(PATIENCE);
    await page.keyboard.press("Escape");
  });

  test("its tables, and the list of experiments, are saved as CSV", async () => {
    const { page } = tab;
    await tab.goto(`/experiments/${experiment.id}/report`);
    expect(await saved("CSV")).toMatch(
      /"All treatments vs control, by metric"\r\n"Metric","control","concise"/,
    );
    await tab.goto("/");
    expect(await saved("CSV")).toMatch(/"greeting"/);

    async function saved(button: string): Promise<string> {
      const download = page.waitForEvent("download", PATIENCE);
      await page.getByRole("button", { name: button, exact: true }).click(PATIENCE);
      const text = readFileSync(await (await download).path(), "utf8");
      // Excel reads UTF-8 only where it is marked.
      expect(text.startsWith("\ufeff")).toBe(true);
      return text;
    }
  });
});
