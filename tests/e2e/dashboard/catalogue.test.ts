import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody, metricBody } from "../../../apps/server/src/test-support/experiments.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const PATIENCE_MS = 80_000;
const EXPERIMENT = experimentBody("Greeting", {
  metrics: [
    metricBody("signup", { kind: "binary", shared_org_wide: true, role: "primary" }),
    metricBody("helpful", { kind: "binary", category: "quality" }),
  ],
});

describe.skipIf(CHROMIUM === null)("metrics, beyond one experiment", () => {
  let dashboard: Dashboard;
  let member: Tab;
  let experimentId: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const made = await dashboard.service.call<{ id: string }>("POST", "/v1/experiments", {
      body: EXPERIMENT,
    });
    experimentId = made.body.id;
    member = await dashboard.open({ role: "member", email: "member@example.com" });
    member.page.setDefaultTimeout(PATIENCE_MS);
  });
  afterAll(() => dashboard?.close());

  test("the catalogue shows what a metric computes and where it is used", async () => {
    const { page } = member;
    await member.goto("/catalogue");
    await page.getByRole("heading", { name: "signup" }).waitFor();
    await page.getByText("Share of exposed users with at least one nonzero “signup” event").waitFor();
    await page.getByLabel("Filter").fill("quality");
    await page.getByRole("heading", { name: "signup" }).waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("?text=quality");
    await page.getByLabel("Filter").fill("nothing like it");
    await page.getByText("No metrics match").waitFor();
    await page.getByRole("button", { name: "Show all metrics" }).click();
    await page.getByRole("link", { name: EXPERIMENT.name }).first().click();
    await page.waitForURL(`**/experiments/${experimentId}`);
  });

  test("a shared metric is changed on its own page, and locked in the experiment's form", async () => {
    const { page } = member;
    await member.goto("/catalogue");
    await page.getByRole("link", { name: "Open signup" }).click();
    await page.waitForURL("**/catalogue/signup");
    const save = page.getByRole("button", { name: "Save for all experiments" });
    expect(await save.isDisabled()).toBe(true);
    await page.getByRole("button", { name: /Where the outcome comes from/ }).click();
    await page.getByRole("option", { name: "Trusted sources" }).click();
    await page.getByText("version 1 → 2, set for you").waitFor();
    await page.getByText(`will get a new version: ${EXPERIMENT.name}.`).waitFor();
    expect(await member.violations()).toEqual([]);
    await save.click();
    await page.getByText("counts only events from signed webhooks, secret keys and imports").waitFor();
    const { body } = await dashboard.service.call<{ metrics: readonly object[] }>(
      "GET",
      `/v1/experiments/${experimentId}`,
    );
    expect(body.metrics[0]).toMatchObject({
      ...{ name: "signup", metric_version: 2, role: "primary" },
      accept_from: ["signed", "secret", "import"],
    });
    await member.goto(`/experiments/${experimentId}/change`);
    await page.getByText("Metrics", { exact: true }).last().click();
    const card = page.getByRole("region", { name: "Metric 1" });
    await card.getByRole("link", { name: "Change it on its own page" }).waitFor();
    expect(await card.getByRole("button", { name: /Direction/ }).count()).toBe(0);
    await card.getByText("Share this metric with other experiments").click();
    await card.getByRole("button", { name: /Direction/ }).waitFor();
    expect(await member.violations()).toEqual([]);
  });

  test("the experiments of a metric that many use are folded", async () => {
    const { page } = member;
    for (let index = 0; index < 12; index++)
      await dashboard.service.call("POST", "/v1/experiments", {
        body: experimentBody(`Visits ${index}`, { metrics: [metricBody("visits")] }),
      });
    await member.goto("/catalogue?text=visits");
    await page.getByRole("link", { name: "Visits 2", exact: true }).waitFor();
    const oldest = page.getByRole("link", { name: "Visits 0", exact: true });
    expect(await oldest.isVisible()).toBe(false);
    await page.getByText("2 further experiments").click();
    await oldest.waitFor();
  });

  test("judges show what is not set up yet", async () => {
    const { page } = member;
    await member.goto("/judges");
    await page.getByText("No judge is configured").waitFor();
    const card = page.getByRole("article", { name: `helpful of ${EXPERIMENT.name}` });
    await card.getByText("No rubric", { exact: true }).waitFor();
    await card.getByRole("link", { name: "helpful" }).click();
    await page.getByText("This metric has no rubric, so no judge scores it.").waitFor();
    expect(await member.violations()).toEqual([]);
    await page.getByRole("link", { name: "Write a rubric" }).click();
    await page.waitForURL(`**/experiments/${experimentId}/change`);
    const judge = { rubric: "Is it right?", scale: "pass_fail" };
    const quality = metricBody("quality", { kind: "ratio", category: "quality", judge });
    const { body: unjudged } = await dashboard.service.call<{ id: string }>("POST", "/v1/experiments", {
      body: experimentBody("Unjudged", { metrics: [quality] }),
    });
    await member.goto(`/judges/${unjudged.id}/quality/label`);
    await page.getByText("This installation has no judge").waitFor();
    await member.goto(`/judges/${experimentId}/no-such-metric`);
    await page.getByText("has no judged metric of this name").waitFor();
  });

  test("the browser logs no errors", () => {
    expect(member.complaints).toEqual([]);
  });
});
