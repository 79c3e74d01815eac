import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type JudgeServer, openJudgeServer } from "../../../apps/server/src/test-support/judge-server.ts";
import { priceModels } from "../../../apps/server/src/test-support/rehearsals.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const PATIENCE = { timeout: 80_000 };

describe.skipIf(CHROMIUM === null)("rehearsals", () => {
  let judge: JudgeServer;
  let dashboard: Dashboard;
  let tab: Tab;
  beforeAll(async () => {
    judge = await openJudgeServer();
    const { url, apiKey } = judge.settings;
    const rehearsal = { url, apiKey, isJudges: true };
    dashboard = await openDashboard(undefined, { judge: judge.settings, rehearsal });
    await dashboard.service.call("POST", "/v1/demo", { body: { demo: "support-tone" } });
    await priceModels(dashboard.service, judge);
    tab = await dashboard.open();
  }, 300_000);
  afterAll(async () => {
    expect(tab?.complaints ?? []).toEqual([]);
    await dashboard?.close();
    await judge?.close();
  });

  test("a rehearsal of the demo's data takes three clicks", async () => {
    const { page } = tab;
    await tab.goto("/");
    await page.getByRole("link", { name: "Rehearsals" }).click();
    await page.getByText("No rehearsal yet").waitFor(PATIENCE);
    await page.getByRole("link", { name: "New rehearsal" }).click();
    await page.getByText("Write what makes an answer better.").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await page.getByLabel("What makes an answer better").fill("The answer is friendly.");
    await page.getByLabel("Model of all arms").fill("m-1");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText(/^Done/).waitFor(PATIENCE);
    await page.getByText(/^200 of 200$/).waitFor(PATIENCE);
    await page
      .getByRole("table", { name: /over the same inputs/ })
      .first()
      .waitFor(PATIENCE);
    await page.getByText(/^The judge prefers the answer that it sees first by/).waitFor(PATIENCE);
    await page.getByRole("article").first().getByRole("heading").first().waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("people pick blind with the keys, and the picks correct the judge", async () => {
    const { page } = tab;
    const panel = page.getByRole("region", { name: "Blind picks" });
    await panel.getByText("0 of 50").first().waitFor(PATIENCE);
    await panel.getByRole("link", { name: "Pick blind" }).click();
    await page.getByText(/^0 of 10\spairs picked/).waitFor(PATIENCE);
    expect(await page.getByRole("main").innerText()).not.toMatch(/control|concise|verbose/i);
    expect(await tab.violations()).toEqual([]);
    const press = async (key: string, picked: number) => {
      await page.keyboard.press(key);
      await page.getByText(new RegExp(`^${picked} of 10\\spairs picked`)).waitFor(PATIENCE);
    };
    await press("1", 1);
    await press("0", 2);
    const same = page.getByText("Your pick: all the same.");
    await same.waitFor(PATIENCE);
    const { id } = page.url().match(/rehearsals\/(?<id>[^/]+)/)?.groups ?? {};
    await pickAll(dashboard, id ?? "");
    await press("k", 2);
    await press("2", 2);
    await same.waitFor({ ...PATIENCE, state: "detached" });
    await page.getByRole("link", { name: "View the rehearsal" }).click();
    await page
      .getByText(/corrected by \d+\sblind picks/)
      .first()
      .waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("the forecast leads to an experiment, which the ledger lists", async () => {
    const { page } = tab;
    const form = page.getByRole("form", { name: "Create the experiment" });
    await form.getByLabel("Name of the experiment").fill("rehearsed-tone");
    const arm = form.getByRole("checkbox").first();
    if (!(await arm.isChecked())) await arm.check({ force: true });
    expect(await tab.violations()).toEqual([]);
    await form.getByRole("button", { name: "Create the draft" }).click();
    await page.getByRole("heading", { name: "rehearsed-tone" }).waitFor(PATIENCE);
    await tab.goto("/rehearsals");
    const ledger = page.getByRole("region", { name: "Ledger" });
    await ledger.getByRole("link", { name: "rehearsed-tone" }).waitFor(PATIENCE);
    await ledger.getByRole("cell", { name: "draft" }).waitFor(PATIENCE);
  });

  test("a finished rehearsal and its drawn dataset are in the lists", async () => {
    await tab.goto("/rehearsals");
    await tab.page
      .getByRole("table", { name: "Rehearsals, newest first" })
      .getByText(/^Done/)
      .waitFor(PATIENCE);
    const datasets = tab.page.getByRole("table", { name: "Datasets, newest first" });
    await expect.poll(() => datasets.innerText()).toMatch(/calls, version 1\s+200\s+drawn from [\d,]+ calls/);
    expect(await tab.violations()).toEqual([]);
  });

  test("inputs are uploaded, and an error names the place in a bad file", async () => {
    const { page } = tab;
    const send = async (name: string, text: string) => {
      await page
        .getByLabel(/^File:/)
        .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
      await page.getByRole("button", { name: "Upload" }).click();
    };
    await send("bad.jsonl", '{"input": "Hi"}\n{"inputs": "Hi"}\n');
    await page
      .getByRole("alert")
      .getByText(/[Ll]ine 2/)
      .first()
      .waitFor(PATIENCE);
    await send("good.jsonl", '{"input": "Hi"}\n{"input": "Who are you?"}\n');
    await page.getByRole("rowheader", { name: "good, version 1" }).waitFor(PATIENCE);
  });

  test("it fits a narrow screen in the dark", async () => {
    const dark = await dashboard.open({ width: 390, scheme: "dark" });
    await dark.goto("/rehearsals");
    await dark.page.getByRole("link", { name: /against/ }).click();
    await dark.page.getByText("Scorecard").waitFor(PATIENCE);
    expect(await dark.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await dark.violations()).toEqual([]);
    await dark.context.close();
  });
});

/** Picks until the treatment with the fewest has as many picks as are needed. */
async function pickAll({ service }: Dashboard, id: string): Promise<void> {
  for (;;) {
    const path = `/v1/rehearsals/${id}/picks`;
    const { body } = await service.call<{
      readonly items: readonly { readonly id: string }[];
      readonly picked: number;
      readonly needed: number;
    }>("GET", `${path}/queue?limit=50`);
    if (body.picked >= body.needed) return;
    for (const item of body.items) await service.call("POST", path, { body: { id: item.id, best: "first" } });
  }
}
