import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody } from "../../../apps/server/src/test-support/experiments.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const PATIENCE = { timeout: 80_000 };
const WARNING = "Visitors of your pages can read these prompts";

describe.skipIf(CHROMIUM === null)("prompts that visitors of web pages can read", () => {
  let dashboard: Dashboard;
  let tab: Tab;
  let id: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    const body = experimentBody("answers", {
      variants: [{ key: "control", prompt: "Help." }, { key: "treatment" }],
    });
    const { service } = dashboard;
    id = (await service.call<{ id: string }>("POST", "/v1/experiments", { body })).body.id;
    await service.newKey("publishable");
    await service.call("PUT", "/v1/keys/publishable", { body: { allowed_origins: ["https://app.example"] } });
    tab = await dashboard.open();
  });
  afterAll(() => dashboard?.close());

  test("cause a warning on the experiment's page and the page of keys, and one checkbox hides them", async () => {
    const { page } = tab;
    await tab.goto("/keys");
    await page.getByText("Visitors of your pages can read prompts").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await page.getByRole("link", { name: "answers" }).click();
    await page.getByText(WARNING).waitFor(PATIENCE);
    await page.getByText("sent to every client").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);

    await tab.goto(`/experiments/${id}/change`);
    await page.getByText("Variants: prompts, variables, QA users, who gets them, enabled or not").click();
    await page.getByText("Send prompts and variables only to servers").click();
    const save = async () => {
      await page.getByRole("button", { name: "Review the change" }).click();
      await page.getByText("give servers the secret key first").waitFor(PATIENCE);
      await page.getByRole("button", { name: "Save version 2" }).click();
    };
    await save();
    await page.getByText("Only the secret key could read these prompts").first().waitFor(PATIENCE);
    await dashboard.service.newKey("secret");
    await save();
    await page.getByRole("heading", { name: "Version 2 is in force" }).waitFor(PATIENCE);

    await tab.goto(`/experiments/${id}/setup`);
    await page.getByText("sent only to servers").waitFor(PATIENCE);
    expect(await page.getByText(WARNING).count()).toBe(0);
    await tab.goto("/keys");
    expect(await page.getByText("Visitors of your pages can read prompts").count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });
});
