import { toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricBody, type WireExperiment } from "../../../apps/server/src/test-support/experiments.ts";
import { judgeCalls } from "../../../apps/server/src/test-support/judge-calls.ts";
import { until } from "../support/until.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { createScene } from "./support/scenes.ts";

const QUESTIONS = [
  [
    "I was charged twice this month. What should I do?",
    "Send us both invoice numbers and we refund one.",
    "Send us the two numbers; we refund one.",
  ],
  [
    "Can I move my workspace to another region?",
    "Yes. Ask an owner to open Settings, then Region.",
    "Yes: Settings, Region.",
  ],
  ["How do I invite a teammate?", "Open Members and press Invite.", "Open Members and press Invite."],
  ["Why was I signed out?", "Sessions end after thirty days.", null],
] as const;

const call = (variant: "control" | "concise", index: number, experimentId: string) => {
  const [question, control, concise] = QUESTIONS[index]!;
  const answer = variant === "control" ? control : concise;
  return {
    ...{
      type: "model_call",
      experiment_id: experimentId,
      event_id: `${variant}-${index}`,
      user_id: `u-${variant}-${index}`,
    },
    ...{
      variant,
      timestamp: toInstant(Date.now() - 60_000),
      model: "gpt-4o",
      input_tokens: 40,
      output_tokens: 12,
    },
    ...{
      latency_ms: 900,
      prompt: question,
      ...(index === 0 && { run_id: `run-of-${variant}` }),
      error: answer === null,
      ...(answer !== null && { response: answer }),
    },
  };
};

describe.skipIf(CHROMIUM === null)("the compare page", () => {
  let dashboard: Dashboard;
  let experiment: WireExperiment;
  let tab: Tab;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const { service } = dashboard;
    const judged = { kind: "ratio", category: "quality", judge: { rubric: "Is it right?" } };
    experiment = await createScene(service, "support tone", { metrics: [metricBody("right", judged)] });
    const key = await service.newKey("secret");
    const body = QUESTIONS.flatMap((_, index) =>
      (["control", "concise"] as const).map((variant) => call(variant, index, experiment.id)),
    );
    await service.call("POST", "/v1/events", { key, body: { events: body } });
    await until(
      "the calls are stored",
      async () => (await asked("order=asked")).items.length === QUESTIONS.length,
      60_000,
    );
    await judgeCalls(service, { experimentId: experiment.id, metric: "right" }, [
      { eventId: "control-0", arm: "control", userId: "u-control-0", score: 1 },
      { eventId: "concise-0", arm: "concise", userId: "u-concise-0", score: 0 },
    ]);
    tab = await dashboard.open();
  });
  afterAll(async () => {
    expect(tab?.complaints ?? []).toEqual([]);
    await dashboard?.close();
  });

  interface Comparisons {
    readonly items: readonly { readonly question: string }[];
    readonly picks: {
      readonly variants: Record<string, { compared: number; best: number }>;
      readonly same: number;
    };
  }
  const asked = async (query = "") =>
    (
      await dashboard.service.call<Comparisons>(
        "GET",
        `/v1/experiments/${experiment.id}/comparisons?${query}`,
      )
    ).body;
  const open = (query = "") => tab.goto(`/experiments/${experiment.id}/compare${query}`);
  const row = (place: number) => tab.page.locator(`[data-comparison="${place}"]`);

  test("is two clicks from the list, with the variants' answers side by side", async () => {
    await tab.goto("/");
    await tab.page.getByRole("link", { name: "support tone" }).first().click();
    await tab.page.getByRole("link", { name: "Compare" }).click();
    const pay = tab.page.getByRole("article", { name: /charged twice/ });
    await expect.poll(() => pay.getByRole("article").allInnerTexts()).toHaveLength(2);
    const [control, concise] = await pay.getByRole("article").allInnerTexts();
    expect(control).toMatch(/^control\s+Send us both/);
    expect(control).toMatch(/right: pass/);
    expect(control).toMatch(/12\stokens · \$0\.0002\d* · 900\sms/);
    expect(concise).toMatch(/^concise\s+Send us the two/);
    expect(concise).toMatch(/right: fail/);
  });

  test("opens the thread that an answer is part of", async () => {
    await open();
    const pay = tab.page.getByRole("article", { name: /charged twice/ });
    await pay.getByText("The whole thread").first().click();
    await expect.poll(() => pay.locator(".call-thread > li").allInnerTexts()).toHaveLength(1);
    await expect
      .poll(() => pay.locator(".call-thread").innerText())
      .toMatch(/charged twice.*\s+Send us both/);
    expect(await tab.violations()).toEqual([]);
  });

  test("shows the differences from the control with D, and moves with J and K", async () => {
    await open();
    await row(0).waitFor();
    await tab.page.keyboard.press("d");
    await expect.poll(() => tab.page.locator("ins").count()).toBeGreaterThan(0);
    expect(
      await tab.page
        .getByLabel(/^concise compared with control/)
        .first()
        .innerText(),
    ).toBeTruthy();
    await tab.page.keyboard.press("d");
    await expect.poll(() => tab.page.locator("ins").count()).toBe(0);
    await tab.page.keyboard.press("j");
    await expect.poll(() => row(1).getAttribute("aria-current")).toBe("true");
    await tab.page.keyboard.press("k");
    await expect.poll(() => row(0).getAttribute("aria-current")).toBe("true");
  });

  test("filters by the address and by its buttons, and links to one comparison", async () => {
    await open("?order=failed");
    await expect
      .poll(() => tab.page.locator(".comparison h2").allInnerTexts())
      .toEqual(["Why was I signed out?"]);
    expect(await row(0).innerText()).toContain("The model call failed");
    await tab.page.getByRole("button", { name: "Judge and person disagree" }).click();
    await tab.page.getByText("No question matches.").waitFor();
    await tab.page.getByRole("button", { name: "Show all questions" }).click();
    await expect.poll(() => tab.page.locator(".comparison").count()).toBe(QUESTIONS.length);
    await tab.page.getByLabel("Text").fill("teammate");
    await tab.page.keyboard.press("Enter");
    await expect
      .poll(() => tab.page.locator(".comparison h2").allInnerTexts())
      .toEqual(["How do I invite a teammate?"]);
    await row(0).getByRole("link", { name: "Link" }).click();
    await tab.page.getByText("One comparison, from a link.").waitFor();
    await open(new URL(tab.page.url()).search);
    expect(await tab.page.locator(".comparison h2").allInnerTexts()).toEqual(["How do I invite a teammate?"]);
  });

  test("hides the variants while picking blind; each pick is stored, and shows whose answer it was", async () => {
    await open("?order=asked");
    await row(0).waitFor();
    await tab.page.keyboard.press("b");
    const hidden = await row(0).innerText();
    expect(hidden).not.toMatch(/control|concise|tokens|right:/);
    const questions = (await asked("order=asked")).items.map(({ question }) => question);
    await tab.page.keyboard.press("1");
    await expect.poll(() => row(0).innerText()).toContain("your pick");
    await expect.poll(() => row(1).getAttribute("aria-current")).toBe("true");
    expect(await row(1).innerText()).not.toMatch(/control|concise/);
    await tab.page.keyboard.press("0");
    await expect.poll(() => row(2).getAttribute("aria-current")).toBe("true");
    await expect.poll(async () => (await asked()).picks.same).toBe(1);
    const best = (await row(0).locator("h3", { hasText: "your pick" }).innerText()).split(/\s/)[0] ?? "";
    const { picks } = await asked();
    expect(picks.variants[best]).toEqual({ compared: 2, best: 1 });
    expect(questions).toHaveLength(QUESTIONS.length);
    await tab.page.getByRole("button", { name: "Stop picking" }).click();
    await expect
      .poll(() => tab.page.getByRole("region", { name: "Blind picks" }).innerText())
      .toMatch(new RegExp(`${best} best in 1 of 2[^]*all the same: 1`));
  });

  test("says why there is nothing to compare", async () => {
    const { id } = await createScene(dashboard.service, "silent");
    await tab.goto(`/experiments/${id}/compare`);
    await tab.page.getByText("No calls with a prompt and an answer yet.").waitFor();
  });

  test.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)("is accessible and fits in %s at %i pixels", async (scheme, width) => {
    const other = await dashboard.open({ scheme, width });
    for (const query of ["", "?order=failed"]) {
      await other.goto(`/experiments/${experiment.id}/compare${query}`);
      await other.page.locator(".comparison").first().waitFor();
      if (query === "") await other.page.keyboard.press("d");
      expect(await other.violations()).toEqual([]);
      expect(await other.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    }
    await other.page.keyboard.press("b");
    expect(await other.violations()).toEqual([]);
    if (process.env.SHOTS)
      await other.page.screenshot({ path: `${process.env.SHOTS}/compare-blind-${scheme}.png` });
    await other.goto(`/experiments/${experiment.id}/compare`);
    if (process.env.SHOTS)
      await other.page.screenshot({ path: `${process.env.SHOTS}/compare-${scheme}.png` });
    await other.context.close();
  });
});
