import { type Day, startOfDay } from "@assay/domain";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricBody, type WireExperiment } from "../../../apps/server/src/test-support/experiments.ts";
import { type CallToJudge, judgeCalls } from "../../../apps/server/src/test-support/judge-calls.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { createScene, daysAgo, runNight, sendUsers } from "./support/scenes.ts";

const PATIENCE_MS = 80_000;
/** Enough for the skewness of a rate of 80 % (docs/statistics.md). */
const USERS = 1_700;
const LABELS_PER_ARM = 60;

const RUBRIC = "Pass when the answer is right and can be used as it stands.";
const METRICS = [
  metricBody("cost_per_user", {
    category: "cost",
    role: "primary",
    source: { event: "model_call", field: "cost_usd" },
  }),
  metricBody("passes", {
    kind: "ratio",
    category: "quality",
    source: { event: "judge" },
    role: "guardrail",
    desired: "increase",
    margin: 0.25,
    judge: { rubric: RUBRIC, scale: "pass_fail", sample_rate: 0.5 },
  }),
];

let dashboard: Dashboard;
let tab: Tab;
let page: Page;
const at = { calibrated: "", opinion: "", collecting: "" };

/** The first call of each of a day's users, with what the judge says: it passes four answers of five, alike in both arms. */
function judgedCalls({ id }: WireExperiment, day: Day): readonly CallToJudge[] {
  return Array.from({ length: USERS }, (_, user) => ({
    eventId: `${id.slice(-12)}-${day}-${user}-call-0`,
    userId: `${id.slice(-12)}-${day}-${user}`,
    arm: user % 10 < 5 ? "concise" : "control",
    occurredAt: startOfDay(day) + 60_000 + 1000 * user,
    score: (user * 7919) % 97 < 19 ? 0 : 1,
    isRepeated: user % 33 === 0,
  }));
}

/** A person labels the first calls of each arm, and finds some that the judge let pass wrong. */
async function labelCalls(experiment: WireExperiment, calls: readonly CallToJudge[]): Promise<void> {
  for (const arm of ["control", "concise"]) {
    const own = calls.filter((call) => call.arm === arm).slice(0, LABELS_PER_ARM);
    for (const [index, { eventId, score }] of own.entries()) {
      const body = { metric: "passes", event_id: eventId, score: index % 20 === 0 ? 0 : score };
      const answer = await dashboard.service.call("POST", `/v1/experiments/${experiment.id}/labels`, {
        body,
      });
      expect(answer.status).toBe(201);
    }
  }
}

async function judgedScene(name: keyof typeof at): Promise<void> {
  const { service } = dashboard;
  const day = daysAgo(1);
  const experiment = await createScene(service, name, { metrics: METRICS });
  at[name] = `/experiments/${experiment.id}`;
  const isCollecting = name === "collecting";
  // The plan decides no earlier than a week after the first exposure.
  await sendUsers(service, experiment, { day: daysAgo(8), users: 40 });
  await sendUsers(service, experiment, { day, users: isCollecting ? 60 : USERS });
  const all = judgedCalls(experiment, day);
  const calls = isCollecting
    ? all.slice(0, 40).map((call, index) => (index % 4 === 0 ? { ...call, score: null } : call))
    : all;
  await judgeCalls(service, { experimentId: experiment.id, metric: "passes" }, calls);
  if (name === "calibrated") await labelCalls(experiment, calls);
  if (!isCollecting) expect(await runNight(service, experiment, day)).toBe("computed");
}

const see = (locator: Locator) => locator.first().waitFor({ timeout: PATIENCE_MS });
const text = (words: string | RegExp) => page.getByText(words);
const table = () => page.getByRole("table", { name: /All treatments vs control/ });

async function expectSound(on: Tab = tab): Promise<void> {
  expect(await on.violations()).toEqual([]);
  const isWide = await on.page.evaluate(
    "document.documentElement.scrollWidth > document.documentElement.clientWidth",
  );
  expect(isWide, "scrolls sideways").toBe(false);
  expect(on.complaints).toEqual([]);
}

describe.skipIf(CHROMIUM === null)("the results of judged metrics", () => {
  beforeAll(async () => {
    dashboard = await openDashboard();
    for (const name of ["calibrated", "opinion", "collecting"] as const) await judgedScene(name);
    tab = await dashboard.open();
    page = tab.page;
    page.setDefaultTimeout(PATIENCE_MS);
  });

  afterAll(() => dashboard?.close());

  test("one sentence combines the saving with the metrics that are not worse", async () => {
    await tab.goto(at.calibrated);
    await see(
      text(
        /^concise saves \$[\d.]+ per 1,000\susers \(95% CI \$[\d.]+ to \$[\d.]+\), and passes is not worse by more than 25\spoints\. Decided on .* \(look 1\): concise may be shipped\.$/,
      ),
    );
    await text("Why").first().click();
    await see(text(/^Cheaper and not worse: concise saves/));
    expect(await text("the judge's opinion").count()).toBe(0);
    await expectSound();
  });

  test("a corrected row says so, next to the result of the judge alone", async () => {
    const row = table().getByRole("row", { name: /passes/ });
    await see(row.getByRole("link", { name: /calibrated with 120\slabels/ }));
    await see(row.getByText(/^not worse by more than 25\spoints$/));
    await see(row.getByText(/^judge alone: [+−]?[\d.]+\spoints \(/));
    await see(row.getByRole("img", { name: /not worse by more than 25\spoints$/ }));
    await row.getByRole("link", { name: "passes" }).click();
    const drawer = page.getByRole("dialog");
    const change = drawer.getByRole("table", { name: "Effect of the labels" });
    await see(change.getByRole("row", { name: /Judge alone/ }));
    await see(change.getByRole("row", { name: /Corrected by labels/ }));
    await see(drawer.getByText(/^control 60 · concise 60$/));
    await see(drawer.getByText("Margin"));
    await expectSound();
    await page.keyboard.press("Escape");
  });

  test("a verdict that relies on the judge says so, and links to the answers to label", async () => {
    await tab.goto(at.opinion);
    await see(text(/passes is only the judge's opinion so far\. Label answers before you rely on it\.$/));
    const label = page.getByRole("link", { name: "Label answers for passes" });
    expect(await label.getAttribute("href")).toBe(
      `${at.opinion.replace("experiments", "judges")}/passes/label`,
    );
    const name = table()
      .getByRole("row", { name: /passes/ })
      .getByRole("link", { name: "passes" });
    const tip = page.getByRole("tooltip", {
      name: /50 labels per variant would correct it. So far: control 0, concise 0/,
    });
    const tabToMark = async () => {
      await name.focus();
      await page.keyboard.press("Tab");
      return tip.isVisible();
    };
    await expect.poll(tabToMark, { timeout: PATIENCE_MS }).toBe(true);
    await page.keyboard.press("Escape");
    await tip.waitFor({ state: "detached" });
    await expectSound();
  });

  test("the decision, the report and the list name the same trade-off", async () => {
    await tab.goto(`${at.opinion}/decide`);
    await see(text(/^Stop and ship concise\. It is/));
    await see(text(/^concise saves \$[\d.]+ per 1,000\susers/));
    await see(text(/passes is only the judge's opinion so far/));
    await expectSound();
    await tab.goto(`${at.calibrated}/report`);
    await see(text(/^Cheaper and not worse: concise saves/));
    await see(text(/^judge alone: /));
    await expectSound();
    await tab.goto("/");
    await see(text(/^concise saves \$[\d.]+ per 1,000\susers, not worse$/));
    await see(text(/^concise saves .*, not worse \(judge opinion\)$/));
    await expectSound();
  });

  test("the download has the judge's columns", async () => {
    await tab.goto(at.calibrated);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const [head = "", ...lines] = Buffer.concat(chunks).toString("utf8").split("\r\n");
    const cells = lines.find((line) => line.includes('"passes"'))?.split(",") ?? [];
    const cell = (name: string) => cells[head.split(",").indexOf(`"${name}"`)];
    expect([cell("judge_calibrated"), cell("labels_control"), cell("is_not_worse")]).toEqual([
      "true",
      "60",
      "true",
    ]);
    expect(Number(cell("judge_alone_ci_low"))).toBeLessThan(Number(cell("judge_alone_ci_high")));
  });

  test("while collecting, judged answers are counted, with the state of the judge", async () => {
    await tab.goto(at.collecting);
    const row = page.getByRole("row", { name: /passes/ });
    await see(row.getByText("14 of 200"));
    await see(row.getByRole("link", { name: "Judges" }));
    await expectSound();
  });

  test("the setup shows the judge, and a changed rubric starts a new series", async () => {
    await tab.goto(`${at.calibrated}/setup`);
    await page.getByText(/^Judge: pass or fail, 50% of the calls$/).click();
    await see(text(RUBRIC));
    await expectSound();
    await tab.goto(`${at.calibrated}/change`);
    await page.getByText("Metrics", { exact: true }).last().click();
    await page.getByLabel("Rubric: what makes an answer good").fill("Pass when nothing is missing.");
    await expectSound();
    await page.getByRole("button", { name: "Review the change" }).click();
    await see(text(/passes measures something else: version 1 → 2, set for you/));
    await see(text(/New answers are drawn and judged/));
    await expectSound();
  });

  test("fits a narrow screen in the dark", async () => {
    const phone = await dashboard.open({ width: 390, scheme: "dark" });
    for (const path of [at.calibrated, at.opinion, at.collecting, `${at.calibrated}/setup`]) {
      await phone.goto(path);
      await see(phone.page.getByRole("heading", { level: 1 }));
      await expectSound(phone);
    }
    await phone.context.close();
  });
});
