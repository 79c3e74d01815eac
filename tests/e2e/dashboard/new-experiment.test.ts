import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Experiment } from "../../../apps/dashboard/src/api/types.ts";
import { toConfig } from "../../../apps/dashboard/src/pages/experiment-form/form-to-config.ts";
import { emptyValues } from "../../../apps/dashboard/src/pages/experiment-form/form-values.ts";
import {
  fromTemplate,
  METRIC_TEMPLATES,
} from "../../../apps/dashboard/src/pages/experiment-form/metric-templates.ts";
import { tabTo, typeInto } from "./support/keyboard.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const PATH = "/experiments/new";
const CREATED = /\/experiments\/[0-9a-f]{8}-/;
const PATIENCE = { timeout: 80_000 };

describe.skipIf(CHROMIUM === null)("a new experiment", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard?.close());

  const stored = async (name: string) => {
    const { body } = await dashboard.service.call<readonly Experiment[]>("GET", "/v1/experiments");
    return body.find((experiment) => experiment.name === name);
  };
  const openForm = async (visitor?: Parameters<Dashboard["open"]>[0]): Promise<Tab> => {
    const tab = await dashboard.open(visitor);
    await tab.goto(PATH);
    await tab.page.getByRole("heading", { name: "New experiment" }).waitFor(PATIENCE);
    return tab;
  };
  const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

  test("is created by keyboard alone", async () => {
    const { page, context, complaints } = await openForm();
    await typeInto(page, "Name", "by-keyboard");
    await typeInto(page, "Hypothesis", "We believe short answers will cost less because they are short.");
    await typeInto(page, "Prompt of control", "You are a helpful assistant.");
    await tabTo(page, "Add model to control");
    await page.keyboard.press("Enter");
    await page.keyboard.type("gpt-5-mini");
    await page.getByText(/Per 1,000 calls on gpt-5-mini/).waitFor(PATIENCE);
    await typeInto(page, "Variant", "concise");
    await typeInto(page, "Prompt of concise", "You are a helpful assistant. Be brief.");
    await page.getByRole("region", { name: "concise vs control" }).waitFor(PATIENCE);
    await typeInto(page, "Weight of concise", "30");
    await tabTo(page, "Share of traffic, slider");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await tabTo(page, "Cost per user");
    await page.keyboard.press("Enter");
    await tabTo(page, "p95 latency");
    await page.keyboard.press("Space");
    await page.getByRole("region", { name: "Metric 2" }).waitFor(PATIENCE);
    await tabTo(page, "Start experiment");
    await page.keyboard.press("Enter");
    await page.waitForURL(CREATED, PATIENCE);

    expect(await stored("by-keyboard")).toMatchObject({
      status: "running",
      coverage: 0.98,
      control: "control",
      hypothesis: "We believe short answers will cost less because they are short.",
      allocation: [
        { variant: "control", weight: 50 },
        { variant: "concise", weight: 30 },
      ],
      variants: [
        { key: "control", prompt: "You are a helpful assistant.", variables: { model: "gpt-5-mini" } },
        { key: "concise", prompt: "You are a helpful assistant. Be brief.", variables: null },
      ],
      metrics: [
        { name: "cost_per_user", role: "primary", kind: "mean" },
        { name: "p95_latency", role: "guardrail", kind: "quantile", quantile: 0.95 },
      ],
    });
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("keeps its input over a reload, and can start over", async () => {
    const { page, context } = await openForm();
    await field(page, "Name").fill("half-typed");
    await page.getByRole("button", { name: "Your business event" }).click();
    await page.reload();
    await page.getByText("Your draft was restored.").waitFor(PATIENCE);
    expect(await field(page, "Name").inputValue()).toBe("half-typed");
    expect(await field(page, "Name of the event").inputValue()).toBe("conversion");
    await page.getByRole("button", { name: "Start over" }).click();
    expect(await field(page, "Name").inputValue()).toBe("");
    await context.close();
  });

  test("shows errors at their fields, and focuses the first", async () => {
    const { page, context, violations } = await openForm();
    await field(page, "Variant").nth(1).fill("control");
    await page.getByRole("button", { name: "Start experiment" }).click();
    await page.getByText("Enter a name.").waitFor(PATIENCE);
    await page.getByText('"control" is listed twice.').waitFor(PATIENCE);
    await field(page, "Name").and(page.locator(":focus")).waitFor(PATIENCE);
    expect(await violations()).toEqual([]);
    await context.close();
  });

  test("refuses a number out of its range, instead of moving it to the nearest one", async () => {
    const { page, context } = await openForm();
    await field(page, "Name").fill("five-percent");
    await field(page, "Alpha").fill("5");
    await field(page, "Power").fill("150");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.getByText("Enter a value from 0.001 to 0.2.").waitFor(PATIENCE);
    await page.getByText("Enter a value from 50% to 99%.").waitFor(PATIENCE);
    expect(await field(page, "Alpha").inputValue()).toBe("5");
    // In many countries, a comma is what separates decimals.
    await field(page, "Alpha").clear();
    await field(page, "Alpha").pressSequentially("0,04");
    await field(page, "Power").clear();
    await page.keyboard.insertText("87,5");
    expect(await field(page, "Alpha").inputValue()).toBe("0.04");
    await page.getByRole("button", { name: "Revenue per user" }).click();
    const margin = field(page, "Largest acceptable loss");
    for (const [typed, read] of [
      ["0,05", "0.05"],
      ["66,7", "66.7"],
      ["1,500", "1,500"],
    ] as const) {
      await margin.clear();
      await margin.pressSequentially(typed);
      await margin.blur();
      expect(await margin.inputValue()).toBe(read);
    }
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.waitForURL(CREATED, PATIENCE);
    expect(await stored("five-percent")).toMatchObject({ plan: { alpha: 0.04, power: 0.875 } });
    await context.close();
  });

  test("shows a taken name and errors of the service at their fields", async () => {
    const { page, context } = await openForm();
    await dashboard.service.call("POST", "/v1/experiments", { body: { ...bare("taken") } });
    await field(page, "Name").fill("taken");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await field(page, "Name").and(page.locator(":focus")).waitFor(PATIENCE);
    await field(page, "Name").fill("free");
    const faults = [
      { pointer: "/variants/1/prompt", detail: "is too rude" },
      { pointer: "/nowhere", detail: "is odd" },
    ];
    await answerOnce(page, 400, { errors: faults });
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.getByText("/nowhere: is odd").waitFor(PATIENCE);
    const prompt = field(page, "Prompt of treatment");
    await prompt.and(page.locator(":focus")).waitFor(PATIENCE);
    await page.getByText("is too rude").waitFor(PATIENCE);
    await prompt.fill("A kind one.");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.waitForURL(CREATED, PATIENCE);
    expect(await stored("free")).toMatchObject({ status: "draft" });
    await context.close();
  });

  test("keeps its input over a 429, a 500, a lost connection and an ended session", async () => {
    const { page, context } = await openForm();
    const start = page.getByRole("button", { name: "Start experiment" });
    const name = field(page, "Name");
    await name.fill("survivor");
    await answerOnce(page, 429, { type: "https://assay.dev/problems/rate-limited" }, { "retry-after": "30" });
    await start.click();
    await page.getByText("Try again in 30 seconds.").waitFor(PATIENCE);
    await answerOnce(page, 500, { type: "https://assay.dev/problems/internal", instance: "urn:request:r-1" });
    await start.click();
    await page.getByText("Your input is kept. Try again in a moment.").waitFor(PATIENCE);
    await page.getByText("r-1").waitFor(PATIENCE);
    await page.route("**/v1/experiments", (route) => route.abort(), { times: 1 });
    await start.click();
    await page.getByText("The service did not answer.").first().waitFor(PATIENCE);
    const cookies = await context.cookies();
    await context.clearCookies();
    await start.click();
    await page.getByText("Sign in again in another tab").first().waitFor(PATIENCE);
    expect(await page.getByText("Authorization").count()).toBe(0);
    expect(await name.inputValue()).toBe("survivor");
    await page.reload();
    await page.waitForURL(/sign-in/, PATIENCE);
    await context.addCookies(cookies);
    await page.goto(PATH);
    await page.getByText("Your draft was restored.").waitFor(PATIENCE);
    expect(await name.inputValue()).toBe("survivor");
    await start.click();
    await page.waitForURL(CREATED, PATIENCE);
    await context.close();
  });

  test("plans the duration from the input", async () => {
    const { page, context } = await openForm();
    await page.getByRole("button", { name: "Your business event" }).click();
    await page.getByText("depends on control's current value").waitFor(PATIENCE);
    await field(page, "New users per day").fill("900");
    await field(page, "Share of users today").fill("10");
    await field(page, "Name").focus();
    await page
      .getByText(/With about 900 users per day, you can detect a change of 5% or more in \d+.days/)
      .waitFor(PATIENCE);
    await context.close();
  });

  test("adds metrics from the catalogue, and explains why judge metrics are locked", async () => {
    const [cost] = METRIC_TEMPLATES;
    if (cost === undefined) throw new Error("The templates are gone.");
    const shared = { ...fromTemplate(cost, []), name: "shared_cost", isShared: true, version: 4 };
    const body = toConfig({ ...emptyValues("salt"), name: "sharing", metrics: [shared] }, "draft");
    await dashboard.service.call("POST", "/v1/experiments", { body });
    const tab = await dashboard.open();
    const { page, context } = tab;
    const lock = "The plan free includes no judge evaluations.";
    await page.route("**/v1/judges", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), lock } });
    });
    await tab.goto(PATH);
    await page.getByText(lock).waitFor(PATIENCE);
    expect(await page.getByRole("button", { name: "Judge pass rate" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: /From your organization's catalogue/ }).click();
    await page.getByRole("option", { name: "shared_cost" }).click();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await field(page, "Name").fill("borrowing");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.waitForURL(CREATED, PATIENCE);
    expect(await stored("borrowing")).toMatchObject({
      metrics: [{ name: "shared_cost", metric_version: 4, role: "primary" }],
    });
    await context.close();
  });

  test.each(METRIC_TEMPLATES)("the service accepts the template $title", async (template) => {
    const values = { ...emptyValues("salt"), name: template.key, metrics: [fromTemplate(template, [])] };
    const answer = await dashboard.service.call("POST", "/v1/experiments", {
      body: toConfig(values, "draft"),
    });
    expect(answer).toMatchObject({ status: 201, body: { metrics: [{ name: template.metric.name }] } });
  });

  test.each([
    { width: 1280, scheme: "light" },
    { width: 390, scheme: "dark" },
  ] as const)("has no violation and fits at $width px, $scheme", async (visitor) => {
    const { page, context, violations, complaints } = await openForm(visitor);
    for (const name of ["Cost per user", "p95 latency", "Judge pass rate", "Your business event"])
      await page.getByRole("button", { name }).click();
    await page.getByText("Advanced: frozen after creation").click();
    await page.getByRole("button", { name: "Add temperature to treatment" }).click();
    expect(await violations()).toEqual([]);
    expect(
      await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"),
    ).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

const bare = (name: string) => toConfig({ ...emptyValues("salt"), name }, "draft");

/** Answers the next create request with this problem. */
async function answerOnce(
  page: Page,
  status: number,
  problem: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const body = JSON.stringify({ title: "A problem", detail: "It did not work.", status, ...problem });
  await page.route(
    "**/v1/experiments",
    (route) => route.fulfill({ status, headers, contentType: "application/problem+json", body }),
    { times: 1 },
  );
}
