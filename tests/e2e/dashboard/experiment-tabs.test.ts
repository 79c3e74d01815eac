import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireExperiment } from "../../../apps/server/src/test-support/experiments.ts";
import { until } from "../support/until.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { changeScene, createScene, daysAgo, runNight, sendUsers } from "./support/scenes.ts";

const PATIENCE = { timeout: 80_000 };

describe.skipIf(CHROMIUM === null)("the tabs of an experiment", () => {
  let dashboard: Dashboard;
  let tab: Tab;
  /** A split of 60 to 40 in place of half and half, changed once, with a night. */
  let skewed: WireExperiment;
  let draft: WireExperiment;
  let silent: WireExperiment;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const { service } = dashboard;
    draft = await createScene(service, "not started", { status: "draft", hypothesis: null, metrics: [] });
    silent = await createScene(service, "silent");
    skewed = await createScene(service, "skewed", { qa_users: { concise: ["qa-ann"] } });
    await sendUsers(service, skewed, { day: daysAgo(1), users: 1000, conciseOfTen: 4 });
    expect(await runNight(service, skewed, daysAgo(1))).toBe("withheld");
    await changeScene(service, skewed, {
      hypothesis: "Short is cheap.",
      variants: [
        { key: "control", prompt: "You are a helpful assistant." },
        { key: "concise", prompt: "You are a helpful assistant. Be brief." },
      ],
    });
    await service.call("POST", `/v1/experiments/${skewed.id}/test-event`);
    await until("the test event", async () => {
      const path = `/v1/experiments/${skewed.id}/events?limit=1`;
      const { body } = await service.call<{ items: { is_test: boolean }[] }>("GET", path);
      return body.items[0]?.is_test;
    });
    tab = await dashboard.open();
  });
  afterAll(() => dashboard?.close());

  const show = (experiment: WireExperiment, name: string) =>
    tab.goto(`/experiments/${experiment.id}/${name}`);
  const panel = (name: string) => tab.page.getByRole("region", { name, exact: true });

  test("Health lists the worst check first, with its number, start and action", async () => {
    await show(skewed, "health");
    const checks = panel("Data health").getByRole("article");
    await checks.first().waitFor(PATIENCE);
    const worst = await checks.first().innerText();
    expect(worst).toContain("Traffic split");
    expect(worst).toContain("Stops decisions");
    expect(worst).toMatch(/p < 0\.0001, threshold 0\.001/);
    expect(worst).toContain("Since");
    expect(worst).toContain("Fix:");
    await checks.first().getByText("By variant", { exact: true }).click();
    await checks.first().getByRole("rowheader", { name: "concise" }).waitFor(PATIENCE);
    await panel("Traffic split over time").getByRole("img").waitFor(PATIENCE);
    expect(await panel("Remarks of the latest run").innerText()).toContain("Night of");
    expect(await tab.violations()).toEqual([]);
  });

  test("Health previews the effect, sets events aside, and lifts the entry", async () => {
    await show(skewed, "health");
    await panel("Set aside").getByText("Nothing is set aside.").waitFor(PATIENCE);
    await panel("Set aside").getByRole("button", { name: "Set events aside…" }).click();
    const dialog = tab.page.getByRole("dialog", { name: "Set events aside" });
    await dialog.getByLabel("Reason").fill("One variant's calls were replayed.");
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByText("needs at least one condition", { exact: false }).waitFor(PATIENCE);
    await dialog.getByRole("button", { name: /^Any.*Variant/ }).click();
    await tab.page.getByRole("option", { name: "concise" }).click();
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByText("This hits the variants differently").waitFor(PATIENCE);
    await dialog.getByRole("cell", { name: "400 of 400" }).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await dialog.getByRole("button", { name: "Set them aside" }).click();
    const entries = panel("Set aside").getByRole("row");
    await entries.filter({ hasText: "variant concise" }).waitFor(PATIENCE);
    await panel("Set aside")
      .getByText("The results shown do not include the latest change")
      .waitFor(PATIENCE);
    await panel("Set aside").getByRole("button", { name: "Lift entry 1" }).click();
    const lift = tab.page.getByRole("dialog", { name: "Lift entry 1?" });
    await lift.getByRole("button", { name: "Lift it" }).click();
    await lift.getByText("Enter a reason.").waitFor(PATIENCE);
    await lift.getByLabel("Reason").fill("They were real.");
    await lift.getByRole("button", { name: "Lift it" }).click();
    await entries.filter({ hasText: "Lifts entry 1" }).waitFor(PATIENCE);
    await entries.filter({ hasText: "variant concise" }).getByText("Lifted").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("Health replays the control arm and shows how each metric behaves when nothing differs", async () => {
    await show(skewed, "health");
    const replay = panel("A/A replay");
    await replay.getByRole("button", { name: "Replay control" }).click();
    const row = (name: string) =>
      replay.getByRole("row").filter({ has: tab.page.getByRole("rowheader", { name, exact: true }) });
    await row("bought").getByText("Correct").waitFor(PATIENCE);
    await row("bought")
      .getByRole("img", { name: /^bought: .*% false positives, expected are 3.3% to 6.9%$/ })
      .waitFor();
    expect(await row("bought").innerText()).toMatch(/points \(\d/);
    expect(await replay.innerText()).toMatch(/1,000\ssplits of the events until/);
    expect(await tab.violations()).toEqual([]);
    await tab.page.reload();
    await replay.getByRole("button", { name: "Replay again" }).waitFor(PATIENCE);
    await row("latency").waitFor(PATIENCE);
  });

  test("Health closes a metric that both kinds of keys report to the publishable one", async () => {
    const { service } = dashboard;
    const open = await createScene(service, "open to all");
    for (const scope of ["publishable", "secret"] as const) {
      const outcome = {
        type: "business_event",
        business_metric: "bought",
        user_id: "ann",
        variant: "control",
      };
      const body = [
        { ...outcome, event_id: scope, experiment_id: open.id, timestamp: new Date().toISOString() },
      ];
      const key = await service.newKey(scope);
      expect((await service.call("POST", "/v1/events", { key, body })).status).toBe(202);
    }
    const stored = `/v1/experiments/${open.id}/events/secret`;
    await until("both outcomes", async () => (await service.call("GET", stored)).status === 200);
    await show(open, "health");
    const check = panel("Data health").getByRole("article").filter({ hasText: "Metrics open to" });
    await check.getByText("bought: reported with the publishable key").waitFor(PATIENCE);
    await check.getByRole("button", { name: "Accept trusted sources only…" }).click();
    expect(await tab.violations()).toEqual([]);
    const dialog = tab.page.getByRole("dialog", { name: "Accept trusted sources only?" });
    await dialog.getByRole("button", { name: "Accept trusted sources only" }).click();
    await check.getByText("Left out, because accept_from does not list").waitFor(PATIENCE);
    interface Metrics {
      readonly metrics: readonly { readonly name: string }[];
    }
    const changed = (await service.call<Metrics>("GET", `/v1/experiments/${open.id}`)).body;
    const trusted = { accept_from: ["signed", "secret", "import"], metric_version: 2 };
    expect(changed.metrics).toEqual(
      (open as WireExperiment & Metrics).metrics.map((metric) =>
        metric.name === "bought" ? { ...metric, ...trusted } : metric,
      ),
    );
  });

  test("Live is not for decisions, shows the split and the latest events, and can be paused", async () => {
    await show(skewed, "live");
    await tab.page.getByText("Live counts: uncorrected, not for decisions").waitFor(PATIENCE);
    const split = panel("Users and split");
    await split.getByRole("rowheader", { name: "concise" }).waitFor(PATIENCE);
    expect(await split.innerText()).toContain("1,001");
    await panel("Exposures over time").getByRole("img").nth(1).waitFor(PATIENCE);
    await panel("Distribution of metric values").getByRole("img").nth(3).waitFor(PATIENCE);
    expect(await panel("Last events").innerText()).toMatch(/test user/);
    const chart = await panel("Exposures over time").locator("svg").first().elementHandle();
    await tab.page.waitForResponse((response) => response.url().endsWith("/live"), PATIENCE);
    expect(await chart?.evaluate(({ isConnected }) => isConnected)).toBe(true);
    await tab.page.getByRole("button", { name: "Pause refreshing" }).click();
    await tab.page.getByText(/^Paused/).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("Setup shows what is in force, with every formula in words", async () => {
    await show(skewed, "setup");
    await panel("Question").getByText("Short is cheap.").waitFor(PATIENCE);
    const variants = await panel("Variants").innerText();
    expect(variants.replaceAll("\u00a0", " ")).toContain("In force: control 50%, concise 50% of all users.");
    expect(variants).toContain("You are a helpful assistant. Be brief.");
    expect(await panel("Metrics").innerText()).toContain("Share of model calls that failed");
    expect(await panel("Facts").innerText()).toContain("salt-skewed");
    await panel("Overrides").getByText("No QA user has sent an event yet, of 1 listed.").waitFor(PATIENCE);
    expect(await panel("Overrides").innerText()).toContain("qa-ann");
    await panel("Code").getByRole("tab", { name: "Python" }).first().click();
    await panel("Code")
      .getByText(/assay\.get_prompt\("skewed"/)
      .waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    // Prompts as differences from any variant's.
    const changes = async (tag: "ins" | "del") =>
      (await panel("Variants").locator(tag).allInnerTexts()).map((text) => text.trim());
    expect([await changes("ins"), await changes("del")]).toEqual([[], []]);
    const compareWith = async (chosen: RegExp) => {
      await panel("Variants")
        .getByRole("button", { name: /Compare prompts with/ })
        .click();
      await tab.page.getByRole("option", { name: chosen }).click();
    };
    await compareWith(/^control/);
    await panel("The prompt of concise compared with the prompt of control").waitFor(PATIENCE);
    expect([await changes("ins"), await changes("del")]).toEqual([["Be brief."], []]);
    expect(await tab.violations()).toEqual([]);
    await compareWith(/^concise/);
    await panel("The prompt of control compared with the prompt of concise").waitFor(PATIENCE);
    expect([await changes("ins"), await changes("del")]).toEqual([[], ["Be brief."]]);
    await compareWith(/^Nothing/);
    await expect.poll(() => changes("del"), PATIENCE).toEqual([]);
  });

  test("Setup is no wider than the page when variants have long names", async () => {
    const names = ["control", "a", "b", "c"].map(
      (name) => `${name}-with-a-name-that-is-longer-than-its-card`,
    );
    const { id } = await createScene(dashboard.service, "long names", {
      allocation: names.map((variant) => ({ variant, weight: 1 })),
      variants: names.map((key) => ({ key, prompt: "Answer." })),
    });
    await tab.goto(`/experiments/${id}/setup`);
    await tab.page.getByRole("button", { name: `Copy the prompt of ${names[3]}` }).waitFor();
    expect(await tab.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(
      0,
    );
  });

  test("the report shows prompts as differences from the control, on paper too", async () => {
    await show(skewed, "report");
    await panel("Variants").getByText("Show differences from control").click(PATIENCE);
    const shown = panel("The prompt of concise compared with the prompt of control");
    expect(await shown.locator("ins").allInnerTexts()).toEqual([" Be as concise as possible."]);
    expect(await tab.violations()).toEqual([]);
    await tab.page.emulateMedia({ media: "print" });
    expect(await shown.isVisible()).toBe(true);
    expect(await panel("Variants").getByText("Show differences from control").isVisible()).toBe(false);
    await tab.page.emulateMedia({ media: "screen" });
  });

  test("Versions show who changed what, word by word, and that users kept their variant", async () => {
    await show(skewed, "versions");
    const newest = panel("All versions, newest first").getByRole("article").first();
    await newest.getByText(/Changed: hypothesis, variant concise: prompt/).waitFor(PATIENCE);
    await newest.getByText(/Assignments unchanged: 1,001.users kept their variant/).waitFor(PATIENCE);
    const comparison = panel("Compare two versions");
    expect(await comparison.locator("del").allInnerTexts()).toContain("as concise as possible");
    expect(await comparison.locator("ins").allInnerTexts()).toContain("brief");
    expect(await tab.violations()).toEqual([]);
    await comparison.getByRole("button", { name: /Version 1.*Before/ }).click();
    await tab.page.getByRole("option", { name: "Version 2" }).click();
    await comparison.getByText("No prompts changed between these versions.").waitFor(PATIENCE);
    expect(new URL(tab.page.url()).search).toContain("from=");
  });

  test("Audit lists changes with their fields", async () => {
    await show(skewed, "audit");
    const audit = panel("Changes to this experiment");
    await audit.getByText("experiment.update").waitFor(PATIENCE);
    await audit
      .getByText(/What changed: .*hypothesis/)
      .first()
      .click();
    await audit.getByText("Short is cheap.").first().waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("Live shows the code while the experiment has no users", async () => {
    await show(silent, "live");
    await panel("No users in this experiment yet").getByRole("tab").first().waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("a draft's tabs explain why they are empty, and the next step", async () => {
    await show(draft, "health");
    await tab.page.getByText("No data yet: no user has been exposed.").waitFor(PATIENCE);
    await tab.page.getByText("No run has been computed yet", { exact: false }).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await show(draft, "live");
    await tab.page
      .getByText("The experiment is a draft. It assigns no users until you start it.")
      .waitFor(PATIENCE);
    await tab.page.getByRole("link", { name: "Start it…" }).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await show(draft, "calls");
    await tab.page.getByText("No model calls").waitFor(PATIENCE);
    await show(draft, "setup");
    await tab.page.getByText("No hypothesis yet.", { exact: false }).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await show(draft, "versions");
    await tab.page.getByText("There is only one version so far", { exact: false }).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  describe("on a narrow screen in the dark", () => {
    let narrow: Tab;
    beforeAll(async () => {
      narrow = await dashboard.open({ width: 390, scheme: "dark", role: "member", email: "m@example.com" });
    });

    test.each([
      { name: "health", region: "Traffic split over time" },
      { name: "live", region: "Exposures over time" },
      { name: "setup", region: "Variants" },
      { name: "versions", region: "Compare two versions" },
      { name: "audit", region: "Changes to this experiment" },
    ])("$name fits", async ({ name, region }) => {
      await narrow.goto(`/experiments/${skewed.id}/${name}`);
      await narrow.page.getByRole("region", { name: region, exact: true }).waitFor(PATIENCE);
      expect(await narrow.violations()).toEqual([]);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await narrow.page.evaluate(overflow)).toBe(0);
      expect(narrow.complaints).toEqual([]);
    });
  });

  test("log no errors", () => expect(tab.complaints).toEqual([]));
});
