import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOfDay, toInstant } from "@assay/domain";
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from "@assay/storage";
import { pino } from "pino";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricBody } from "../../../apps/server/src/test-support/experiments.ts";
import { type FragileLine, openFragileLine } from "../../../apps/server/src/test-support/fragile-line.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { changeScene, createScene, daysAgo, runNight, sendEvents, sendUsers } from "./support/scenes.ts";

const PATIENCE_MS = 80_000;

let folder: string;
let engine: EmbeddedClickHouse;
/** The line to the event store; a night without it fails. */
let line: FragileLine;
let dashboard: Dashboard;
let tab: Tab;
let page: Page;

/** The paths of the experiments by their state. */
const at = {
  computed: "",
  demo: "",
  withheld: "",
  collecting: "",
  failed: "",
  neverComputed: "",
  stale: "",
  quiet: "",
  draft: "",
  stopped: "",
  wide: "",
};

async function scene(name: keyof typeof at, change: Readonly<Record<string, unknown>> = {}) {
  const experiment = await createScene(dashboard.service, name, change);
  at[name] = `/experiments/${experiment.id}`;
  return experiment;
}

async function buildScenes(): Promise<void> {
  const { service } = dashboard;
  const loadDemo = async () => {
    const { body } = await service.call<{ id: string }>("POST", "/v1/demo");
    at.demo = `/experiments/${body.id}`;
  };
  await Promise.all([
    buildComputed(),
    buildWithheld(),
    buildCollecting(),
    buildStopped(),
    buildWide(),
    loadDemo(),
  ]);
  await scene("quiet");
  await scene("draft", { status: "draft" });
  await buildFailures();
}

async function buildComputed(): Promise<void> {
  const { service } = dashboard;
  const computed = await scene("computed");
  // The plan decides no earlier than a week after the first exposure.
  for (const back of [8, 1]) {
    await sendUsers(service, computed, { day: daysAgo(back), users: 400 });
    expect(await runNight(service, computed, daysAgo(back))).toBe("computed");
    if (back === 8) await changeScene(service, computed, { description: "Answers of the help desk." });
  }
}

async function buildWithheld(): Promise<void> {
  const { service } = dashboard;
  const withheld = await scene("withheld");
  await sendUsers(service, withheld, { day: daysAgo(2), users: 300 });
  await sendUsers(service, withheld, { day: daysAgo(1), users: 700, conciseOfTen: 6 });
  expect(await runNight(service, withheld, daysAgo(1))).toBe("withheld");
}

async function buildCollecting(): Promise<void> {
  const { service } = dashboard;
  const collecting = await scene("collecting");
  await sendUsers(service, collecting, { day: daysAgo(1), users: 80 });
  expect(await runNight(service, collecting, daysAgo(1))).toBe("collecting");
}

async function buildStopped(): Promise<void> {
  const { service } = dashboard;
  const stopped = await scene("stopped");
  await sendUsers(service, stopped, { day: daysAgo(1), users: 400 });
  expect(await runNight(service, stopped, daysAgo(1))).toBe("computed");
  const decision = { outcome: "won", variant: "concise", note: "Cheaper, and nobody complained." };
  await changeScene(service, stopped, { status: "stopped", decision });
}

const ARMS = 10;
const METRICS = 50;
const USERS_PER_ARM = 210;

/** As many variants and metrics as a large team compares; each user does one of the things that are counted. */
async function buildWide(): Promise<void> {
  const { service } = dashboard;
  const arms = Array.from({ length: ARMS }, (_, arm) => (arm === 0 ? "control" : `variant-${arm}`));
  const names = Array.from({ length: METRICS }, (_, number) => `metric_${number}`);
  const wide = await scene("wide", {
    allocation: arms.map((variant) => ({ variant, weight: 1 })),
    variants: arms.map((key) => ({ key, prompt: `Be like ${key}.` })),
    metrics: names.map((name, number) =>
      metricBody(name, {
        kind: "binary",
        role: number === 0 ? "primary" : number < 10 ? "guardrail" : "secondary",
        source: { event: "business_event", business_metric: name },
      }),
    ),
  });
  const timestamp = toInstant(startOfDay(daysAgo(1)) + 60_000);
  const events = Array.from({ length: ARMS * USERS_PER_ARM }, (_, user) => {
    const id = `wide-${user}`;
    const common = { experiment_id: wide.id, user_id: id, variant: arms[user % ARMS], timestamp };
    const business_metric = names[Math.floor(user / ARMS) % METRICS];
    return [
      { ...common, event_id: `${id}-exposure`, type: "exposure" },
      { ...common, event_id: `${id}-done`, type: "business_event", business_metric },
    ];
  });
  await sendEvents(service, events.flat());
  expect(await runNight(service, wide, daysAgo(1))).toBe("computed");
}

/** One experiment had a good night before the event store went away, the other did not. */
async function buildFailures(): Promise<void> {
  const { service } = dashboard;
  const failed = await scene("failed");
  const neverComputed = await scene("neverComputed");
  await sendUsers(service, failed, { day: daysAgo(2), users: 300 });
  await sendUsers(service, neverComputed, { day: daysAgo(1), users: 40 });
  await sendUsers(service, await scene("stale"), { day: daysAgo(5), users: 40 });
  // A night waits for all that was sent before it.
  expect(await runNight(service, failed, daysAgo(2))).toBe("computed");
  line.set("cut");
  expect(await runNight(service, failed, daysAgo(1))).toBe("failed");
  expect(await runNight(service, neverComputed, daysAgo(1))).toBe("failed");
  line.set("open");
}

const see = (locator: Locator) => locator.first().waitFor({ timeout: PATIENCE_MS });
const text = (words: string | RegExp) => page.getByText(words);

/** What every state must satisfy. */
async function expectSound(on: Tab = tab): Promise<void> {
  expect(await on.violations()).toEqual([]);
  const isWide = await on.page.evaluate(
    "document.documentElement.scrollWidth > document.documentElement.clientWidth",
  );
  expect(isWide, "scrolls sideways").toBe(false);
  expect(on.complaints).toEqual([]);
}

describe.skipIf(CHROMIUM === null)("the results of an experiment", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "assay-results-"));
    engine = await startEmbeddedClickHouse({ dataDir: folder, log: pino({ level: "silent" }) });
    line = await openFragileLine(Number(new URL(engine.url).port));
    const eventsUrl = `http://${engine.username}:${engine.password}@127.0.0.1:${line.port}`;
    dashboard = await openDashboard(undefined, { eventsUrl });
    await buildScenes();
    tab = await dashboard.open();
    page = tab.page;
    page.setDefaultTimeout(PATIENCE_MS);
  });

  afterAll(async () => {
    await dashboard?.close();
    await line?.close();
    await engine?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test("one sentence states the result, and a table shows all comparisons on one axis", async () => {
    await tab.goto(at.computed);
    await see(
      text(
        /^concise saves \$[\d.]+ per 1,000\susers \(95% CI .*\), and latency is not worse by more than 100\sms\. Decided on .* \(look 1\): concise may be shipped\.$/,
      ),
    );
    await see(text("Ready to decide").first());
    const table = page.getByRole("table", { name: /All treatments vs control/ });
    const row = table.getByRole("row", { name: /answer_cost/ });
    await see(row.getByText("Better"));
    await see(row.getByRole("img", { name: /answer_cost, concise: −[\d.]+%, 95% CI .* Better/ }));
    await see(table.getByRole("row", { name: /latency/ }).getByRole("img", { name: /Not clear yet/ }));
    await text("Why").first().click();
    await see(text(/p-values are corrected for 4 comparisons/));
    const left = page.getByRole("region", { name: "Before you ship" }).getByRole("listitem");
    expect(await left.allInnerTexts()).toEqual([
      expect.stringMatching(/^✓\s+Met:\s+Traffic split as planned \(p = /),
      expect.stringMatching(/^✓\s+Met:\s+Decided by plan on .* \(look 1\)$/),
      "✓\nMet:\nlatency with concise is within its margin",
      "✓\nMet:\nNo critical finding in the data",
    ]);
    const evidence = page.getByRole("table", { name: /Evidence at the decision look/ });
    await see(
      evidence.getByRole("row", { name: /answer_cost, concise: better .* z [\d.]+ of 1\.96 needed met on/ }),
    );
    await see(text(/Later nights change the state only with evidence that holds at any look/));
    await expectSound();
  });

  test("the first bar is in the upper half of a laptop's screen", async () => {
    const laptop = await dashboard.open({ width: 1440 });
    for (const path of [at.computed, at.demo]) {
      await laptop.goto(path);
      const bar = laptop.page.locator(".interval-bar").first();
      await bar.waitFor({ timeout: PATIENCE_MS });
      const { y } = (await bar.boundingBox()) ?? { y: Number.POSITIVE_INFINITY };
      expect(y, path).toBeLessThan(400);
      if (process.env.SHOTS)
        await laptop.page.screenshot({
          path: `${process.env.SHOTS}/results-${path === at.demo ? "demo" : "two"}.png`,
        });
    }
    await laptop.context.close();
  });

  test("ten variants and fifty metrics stay a table, which filters and folds", async () => {
    const laptop = await dashboard.open({ width: 1440 });
    await laptop.goto(at.wide);
    const card = laptop.page.getByRole("region", { name: "Table of comparisons" });
    const rows = card.locator("tbody tr:not(.score-group)");
    await expect.poll(() => rows.count(), { timeout: PATIENCE_MS }).toBe(METRICS);
    expect(await card.locator(".interval-bar").count()).toBe(METRICS * (ARMS - 1));
    expect((await card.boundingBox())?.height).toBeLessThanOrEqual(4_000);
    const colors = await laptop.page.evaluate<readonly string[]>(
      `[...document.querySelectorAll(".scorecard thead .arm-dot")].map((dot) => getComputedStyle(dot).backgroundColor)`,
    );
    expect(new Set(colors).size).toBe(ARMS);
    if (process.env.SHOTS) await laptop.page.screenshot({ path: `${process.env.SHOTS}/results-wide.png` });
    await expectSound(laptop);
    await laptop.page.getByRole("textbox", { name: "Metric" }).fill("metric_4");
    await expect.poll(() => rows.count()).toBe(11);
    await card.getByRole("button", { name: "Also measured" }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await laptop.page.getByRole("textbox", { name: "Metric" }).fill("");
    await laptop.page.getByRole("button", { name: /Result/ }).click();
    await laptop.page.getByRole("option", { name: "Clear", exact: true }).click();
    await laptop.page.getByText("No metric matches the filter.").waitFor();
    await laptop.context.close();
  });

  test("effects are also shown in the metric's unit, and per 10,000 users where that is meaningful", async () => {
    await tab.goto(at.computed);
    await page.getByRole("radio", { name: "Per 10,000 users" }).click();
    const cost = page.getByRole("row", { name: /answer_cost/ });
    await see(cost.getByText(/^−\u2060\$\d\d?\.\d\d$/));
    await see(page.getByRole("row", { name: /latency/ }).getByText("because the metric is not a sum"));
    expect(page.url()).toContain("effect=per-10000");
    await page.getByRole("radio", { name: "Absolute" }).click();
    await see(cost.getByText(/^−\u2060\$0\.00/));
  });

  test("a drawer shows a comparison's nights, distribution and calls; the keyboard opens and closes it", async () => {
    await tab.goto(at.computed);
    const link = page.getByRole("link", { name: "answer_cost" });
    await link.focus();
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog", { name: "answer_cost: concise vs control" });
    await see(drawer.getByRole("img", { name: /The effect over 2\snights/ }));
    await see(drawer.getByText("version 2"));
    await see(drawer.getByRole("img", { name: /control p50 about .*concise p95 about/ }));
    await see(drawer.getByText(/not used for the decision/));
    await see(drawer.getByText(/Question \d+ of/));
    await drawer.getByText("Show the numbers").first().click();
    await see(drawer.getByRole("table", { name: "Effect after each night" }));
    const file = page.waitForEvent("download");
    await drawer.getByRole("button", { name: "Users as CSV" }).click();
    const name = `answer-cost_concise_${daysAgo(1)}.csv`;
    expect((await file).suggestedFilename()).toBe(name);
    expect(readFileSync(await (await file).path(), "utf8")).toMatch(/^# \{"format":"assay/);
    await see(drawer.getByText(`python3 check_row.py ${name}`));
    const script = page.waitForEvent("download");
    await drawer.getByRole("button", { name: "The script" }).click();
    expect((await script).suggestedFilename()).toBe("check_row.py");
    await expectSound();
    expect(page.url()).toContain("metric=answer_cost%3A%3Aconcise");
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "hidden" });
    expect(page.url()).not.toContain("metric=");
  });

  test("a manual analysis is shown immediately, and marked as preliminary", async () => {
    await tab.goto(at.computed);
    await page.getByRole("button", { name: "Analyze now" }).click();
    await see(text("Preliminary: does not replace tonight's run"));
    await page.waitForURL(/run=manual-/);
    await expectSound();
    await page.getByRole("button", { name: /Run/ }).filter({ hasText: "Manual run" }).click();
    await page.getByRole("option").last().click();
    await text("Preliminary: does not replace tonight's run").waitFor({ state: "hidden" });
    expect(page.url()).toContain(`run=${daysAgo(8)}`);
  });

  test("a night is run again as its next revision, and the one before stays readable", async () => {
    await tab.goto(`${at.computed}?run=${daysAgo(8)}`);
    await page.getByRole("button", { name: "Run this night again" }).click();
    await see(page.getByRole("button", { name: /Revision/ }).filter({ hasText: "Revision 2" }));
    await see(text(/^Night of .*, revision 2$/));
    await expectSound();
    await page.getByRole("button", { name: /Revision/ }).click();
    await page.getByRole("option", { name: "Revision 1" }).click();
    await see(text("A newer revision replaced this one"));
    expect(page.url()).toContain(`run=${daysAgo(8)}`);
    expect(page.url()).toMatch(/revision=(%22)?1/);
    await see(page.getByRole("row", { name: /answer_cost/ }));
    await expectSound();
    await tab.goto(`${at.computed}?run=${daysAgo(2)}&revision=9`);
    await see(text(/with revision 9 exists/));
  });

  test("a run can be downloaded as CSV and JSON", async () => {
    await tab.goto(at.computed);
    const take = async (name: string) => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name }).click(),
      ]);
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
    };
    const csv = await take("Download CSV");
    expect(csv.name).toMatch(/^computed_.*\.csv$/);
    expect(csv.text.split("\r\n")).toHaveLength(6);
    expect(JSON.parse((await take("Download JSON")).text)).toMatchObject({ results: expect.any(Object) });
  });

  test("the demo has its ribbon and shows several treatments", async () => {
    await tab.goto(at.demo);
    await see(page.getByRole("button", { name: "Remove the demo" }));
    // Assignments and numbers differ between orgs; this effect is too large to miss.
    await see(text(/concise lowers answer_tokens by .* which is better/));
    await see(page.getByRole("img", { name: /answer_tokens, verbose:/ }));
    await expectSound();
  });

  test("while collecting, the missing data is shown by variant", async () => {
    await tab.goto(at.collecting);
    const row = page.getByRole("row", { name: /bought/ });
    await see(row.getByText("40 of 200"));
    await see(text(/Next run:/));
    await expectSound();
    await page.getByRole("button", { name: "Run a preliminary analysis" }).click();
    await see(text("Preliminary: does not replace tonight's run"));
  });

  test("a split that is off withholds every effect and shows the day, the causes and a way out", async () => {
    await tab.goto(at.withheld);
    await see(text(/For control \/ concise we expected 50% \/ 50% and saw 43% \/ 57% \(p < 0\.0001\)/));
    const days = page.getByRole("table", { name: /Split by day/ });
    expect(await days.getByRole("row").nth(1).innerText()).toMatch(/700.*40%.*60%.*Off/s);
    await see(days.getByText("within chance"));
    await see(text("A cache or redirect serves one variant only"));
    expect(await page.locator(".scorecard").count()).toBe(0);
    await expectSound();
    await text("All nightly runs").click();
    expect(
      await page
        .getByRole("row", { name: /Withheld/ })
        .getByRole("link")
        .getAttribute("href"),
    ).toContain(`run=${daysAgo(1)}`);
  });

  test("a failed night shows its reason and keeps the last good run", async () => {
    await tab.goto(at.failed);
    await see(text("The run failed. See the log for the cause."));
    await see(text(/Shown below: Night of/));
    await text("All nightly runs").click();
    await see(page.getByRole("row", { name: /Failed.*See the log for the cause/ }));
    await see(page.getByRole("row", { name: /answer_cost/ }).getByText("Better"));
    await expectSound();
    await page.getByRole("button", { name: "Retry now" }).click();
    await see(text("Preliminary: does not replace tonight's run"));
  });

  test("a failed first night has no numbers, but a retry", async () => {
    await tab.goto(at.neverComputed);
    await see(text("There is no earlier run."));
    await see(page.getByRole("button", { name: "Retry now" }));
    await see(text("40 of 200"));
    await expectSound();
  });

  test("an experiment without users shows what to check, and its first event as it arrives", async () => {
    await tab.goto(at.quiet);
    await see(page.getByRole("heading", { name: "No users in this experiment yet" }));
    await expectSound();
    await page.getByRole("button", { name: "Send a test event" }).click();
    await see(page.getByRole("heading", { name: "Collecting" }));
    await page.getByRole("button", { name: "Run a preliminary analysis" }).click();
    await see(text("This run has no comparisons"));
    // React Aria keeps the text of a removed button in the document for seconds; it is not part of the page.
    await page.reload({ waitUntil: "networkidle" });
    await see(text("This run has no comparisons"));
    await expectSound();
  });

  test("old numbers are marked, with what to check", async () => {
    await tab.goto(at.stale);
    await see(text("No new users for days"));
    await see(page.getByRole("link", { name: "View live events" }));
    await expectSound();
  });

  test("a failed analysis leaves the page unchanged, and says why", async () => {
    await tab.goto(at.computed);
    await page.route("**/analyze", (route) => route.fulfill({ status: 500, body: "" }));
    await page.getByRole("button", { name: "Analyze now" }).click();
    await see(page.getByRole("alert").filter({ hasText: "The service answered 500" }));
    await see(page.getByRole("row", { name: /answer_cost/ }).getByText("Better"));
    await page.unroute("**/analyze");
  });

  test("an unknown experiment shows an error", async () => {
    await tab.goto("/experiments/00000000-0000-7000-8000-000000000000");
    await see(page.getByRole("heading", { name: "Experiment not found" }));
    await expectSound();
  });

  test("a draft links to its start", async () => {
    await tab.goto(at.draft);
    await see(text("Not started yet"));
    expect(await page.getByRole("button", { name: "Analyze now" }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Start…" }).count()).toBe(2);
    await expectSound();
  });

  test("a stopped experiment shows the decision", async () => {
    await tab.goto(at.stopped);
    await see(
      text(
        /^Stopped: a variant won\. Assay gives nobody a variant\. To give concise to everybody, ship it\. Last result: concise saves/,
      ),
    );
    await see(text("Cheaper, and nobody complained."));
    await expectSound();
  });

  test("the report fits on paper and includes the decision", async () => {
    await tab.goto(`${at.stopped}/report`);
    for (const title of ["Question", "Verdict", "Variants", "Comparisons", "Traffic split"])
      await see(page.getByRole("heading", { name: title, exact: true }));
    await see(text("Cheaper, and nobody complained."));
    await see(text("You are a helpful assistant. Be as concise as possible."));
    await expectSound();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
    expect(await page.evaluate("getComputedStyle(document.querySelector('.panel')).backgroundColor")).toBe(
      "rgb(255, 255, 255)",
    );
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
  });

  test("an unknown run is distinguished from an experiment without results", async () => {
    await tab.goto(`${at.computed}?run=2020-01-01`);
    await see(text("Run not found"));
    await expectSound();
    await page.getByRole("button", { name: "Show the latest run" }).click();
    await see(page.getByRole("table", { name: /All treatments vs control/ }));
  });

  test("every state fits a narrow screen in the dark", async () => {
    const narrow = await dashboard.open({
      width: 390,
      scheme: "dark",
      role: "member",
      email: "member@example.com",
    });
    for (const path of [
      at.demo,
      `${at.computed}?metric=latency::concise`,
      at.withheld,
      `${at.stopped}/report`,
    ]) {
      await narrow.goto(path);
      await narrow.page.getByRole("heading", { level: 2 }).first().waitFor({ timeout: PATIENCE_MS });
      await expectSound(narrow);
    }
    await narrow.context.close();
  });
});
