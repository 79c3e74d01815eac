import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireExperiment } from "../../../apps/server/src/test-support/experiments.ts";
import { until } from "../support/until.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { createScene } from "./support/scenes.ts";

const CALLS = 10_000;
const BATCH = 1000;
const START = Date.parse("2026-11-01T00:00:00Z");
const PATIENCE = { timeout: 80_000 };
const HOSTILE = `<script>window.isHacked = true</script><img src=x onerror="window.isHacked = true">`;
const RIGHT_TO_LEFT = "‮مرحبا‬ كيف الحال؟";

/** Scrolls to the last loaded call, and returns whether all are loaded. */
const SCROLL_TO_END = `(() => {
  const box = document.querySelector(".call-table-box");
  if (box) box.scrollTop = box.scrollHeight;
  return document.querySelector(".calls-footer")?.textContent.includes("All 10,000") ?? false;
})()`;

/** Calls that tests open by name come last, so that they are listed first; the others differ enough to be sorted. */
function callEvent(index: number, experimentId: string): Record<string, unknown> {
  return {
    event_id: `call-${index}`,
    type: "model_call",
    experiment_id: experimentId,
    user_id: `user-${index % 500}`,
    variant: index % 2 === 0 ? "control" : "concise",
    timestamp: START + index * 1000,
    model: index % 10 === 0 ? "model-b" : "model-a",
    latency_ms: 200 + ((index * 7919) % 5000),
    time_to_first_token_ms: 50 + (index % 300),
    input_tokens: 100 + (index % 400),
    cached_input_tokens: index % 100,
    output_tokens: 20 + (index % 700),
    cost_usd: 0.001 + index / 1e7,
    error: index % 50 === 0,
    ...(index % 50 === 0 ? { error_type: "timeout" } : { finish_reason: "stop" }),
    prompt: `Question number ${index}`,
    response: `Answer number ${index}`,
    ...SPECIAL[CALLS - 1 - index],
  };
}

const SPECIAL: Readonly<Record<number, Readonly<Record<string, unknown>>>> = {
  0: { prompt: HOSTILE, response: RIGHT_TO_LEFT, user_id: "hostile", metadata: { note: HOSTILE } },
  1: {
    prompt: '[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi there"}]',
    user_id: "chat",
    metadata: { conversation_id: "talk-1" },
  },
  3: {
    prompt: "user: Who are you?",
    response: "A machine.",
    user_id: "chat",
    run_id: "talk-1",
  },
  2: { prompt: null, response: null, user_id: "silent" },
};

describe.skipIf(CHROMIUM === null)("the calls of an experiment", () => {
  let dashboard: Dashboard;
  let experiment: WireExperiment;
  let tab: Tab;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const { service } = dashboard;
    await createScene(service, "an older one");
    experiment = await createScene(service, "many calls");
    const key = await service.newKey("publishable");
    for (let start = 0; start < CALLS; start += BATCH) {
      const events = Array.from({ length: BATCH }, (_, index) => callEvent(start + index, experiment.id));
      const { status, body } = await service.call<{ accepted: number }>("POST", "/v1/events", {
        key,
        body: { events },
      });
      expect({ status, accepted: body.accepted }).toEqual({ status: 202, accepted: BATCH });
    }
    const bought = {
      ...{
        event_id: "bought",
        type: "business_event",
        experiment_id: experiment.id,
        business_metric: "bought",
      },
      ...{ user_id: "chat", run_id: "talk-1", timestamp: START + CALLS * 1_000 },
    };
    await service.call("POST", "/v1/events", { key, body: { events: [bought] } });
    const last = `/v1/experiments/${experiment.id}/events/call-${CALLS - 1}`;
    await until(
      "the last call is stored",
      async () => (await service.call("GET", last)).status === 200,
      30_000,
    );
    tab = await dashboard.open();
  });
  afterAll(() => dashboard?.close());

  const path = (search = "") => `/experiments/${experiment.id}/calls${search}`;
  const grid = () => tab.page.getByRole("grid", { name: "Model calls" });
  const rows = () => grid().locator("tbody tr");
  const panel = () => tab.page.getByRole("dialog", { name: "Model call" });

  test("10,000 of them scroll to the end, with few rows in the page", async () => {
    await tab.goto(path());
    await rows().first().waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await until("the whole list", () => tab.page.evaluate<boolean>(SCROLL_TO_END));
    await grid().getByText("Answer number 0", { exact: true }).waitFor(PATIENCE);
    expect(await grid().getAttribute("aria-rowcount")).toBe(String(CALLS + 1));
    expect(await rows().last().getAttribute("aria-rowindex")).toBe(String(CALLS + 1));
    expect(await rows().count()).toBeLessThan(80);
  });

  test("are opened and read with the keyboard", async () => {
    await tab.goto(path("?user=user-7"));
    await rows().first().focus(PATIENCE);
    await tab.page.keyboard.press("ArrowDown");
    await tab.page.keyboard.press("ArrowDown");
    await tab.page.keyboard.press("Enter");
    await panel().waitFor(PATIENCE);
    expect(new URL(tab.page.url()).searchParams.get("call")).toBe("call-8507");
    await panel().getByText("Question number 8507").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await tab.page.keyboard.press("j");
    await panel().getByText("Question number 8007").waitFor(PATIENCE);
    await tab.page.keyboard.press("k");
    await panel().getByText("Question number 8507").waitFor(PATIENCE);
    await tab.page.keyboard.press("Escape");
    await panel().waitFor({ state: "hidden", ...PATIENCE });
    expect(new URL(tab.page.url()).searchParams.get("call")).toBeNull();
    expect(await tab.page.evaluate("document.activeElement.getAttribute('aria-rowindex')")).toBe("4");
  });

  test("are filtered and sorted by the URL", async () => {
    await tab.goto(path("?variant=control&errors=only&model=model-b&sort=cost_usd&direction=asc"));
    await rows().first().waitFor(PATIENCE);
    expect(await rows().first().innerText()).toContain("failed: timeout");
    expect(await grid().locator("th[aria-sort=ascending]").innerText()).toContain("Cost");
    await grid().getByRole("button", { name: "Total" }).click();
    await grid().locator("th[aria-sort=descending]", { hasText: "Total" }).waitFor(PATIENCE);
    expect(tab.page.url()).toContain("sort=latency_ms");
    await tab.page.getByLabel("Text", { exact: true }).fill("no such words");
    await tab.page.getByText("No calls match these filters").waitFor(PATIENCE);
    expect(new URL(tab.page.url()).searchParams.get("text")).toBe("no such words");
    expect(await tab.violations()).toEqual([]);
    await tab.page.getByRole("button", { name: "Show all calls" }).click();
    await rows().first().waitFor(PATIENCE);
    expect(new URL(tab.page.url()).searchParams.get("variant")).toBeNull();
  });

  test("are filtered by who sent them, and say it when they are open", async () => {
    await tab.goto(path("?call=call-7"));
    for (const fact of ["Publishable key", /^svc_pk_.{5}…$/]) await panel().getByText(fact).waitFor(PATIENCE);
    await tab.page.keyboard.press("Escape");
    await tab.page.getByRole("button", { name: /Anyone.*Sent by/ }).click();
    await tab.page.getByRole("option", { name: "Secret key" }).click();
    await tab.page.getByText("No calls match these filters").waitFor(PATIENCE);
    expect(new URL(tab.page.url()).searchParams.get("source")).toBe("secret");
    await tab.goto(path("?source=publishable"));
    await rows().first().waitFor(PATIENCE);
  });

  test("show hostile and right-to-left texts as plain text", async () => {
    await tab.goto(path(`?call=call-${CALLS - 1}`));
    await panel().getByRole("region", { name: "Prompt" }).getByText(HOSTILE).waitFor(PATIENCE);
    await panel().getByText(RIGHT_TO_LEFT).waitFor(PATIENCE);
    expect(await panel().locator("img, script").count()).toBe(0);
    expect(await tab.page.evaluate("window.isHacked")).toBeUndefined();
    expect(await tab.page.evaluate("document.documentElement.dir")).toBe("");
  });

  test("of one conversation are read as one thread", async () => {
    await tab.goto(`/experiments/${experiment.id}/calls?call=call-${CALLS - 2}`);
    await tab.page.getByText("The whole conversation").click();
    const turns = tab.page.locator(".call-thread > li");
    await expect.poll(() => turns.allInnerTexts()).toHaveLength(3);
    await expect.poll(() => turns.nth(0).innerText()).toMatch(/Who are you\?\s+A machine\./);
    await expect.poll(() => turns.nth(1).innerText()).toMatch(/this call\s+Hi there/);
    await expect.poll(() => turns.nth(2).innerText()).toMatch(/bought: 1$/);
    await tab.page.getByText(/^2\scalls · \$[\d.]+ · 4,000\sms$/).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("show a chat as its messages, and explain missing texts", async () => {
    await tab.goto(path(`?call=call-${CALLS - 2}`));
    await expect
      .poll(() => panel().getByRole("listitem").allInnerTexts())
      .toEqual([expect.stringMatching(/system\s+Be brief\./), expect.stringMatching(/user\s+Hi there/)]);
    await tab.goto(path(`?call=call-${CALLS - 3}`));
    await panel().getByText("No prompt was sent with this call.").waitFor(PATIENCE);
    await panel().getByText("No business events of this user in this experiment").waitFor(PATIENCE);
  });

  test("show an error when they do not exist", async () => {
    await tab.goto(path("?call=never-sent"));
    await panel().getByRole("alert").waitFor(PATIENCE);
    await panel().getByText("Not among the loaded calls.").waitFor(PATIENCE);
  });

  test("show an error when they cannot be read, and load on retry", async () => {
    await tab.page.route("**/events?*", (route) => route.fulfill({ status: 500, body: "{}" }), { times: 1 });
    await tab.goto(path("?variant=concise"));
    const face = tab.page.getByRole("alert");
    await face.getByText("The service answered 500").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await face.getByRole("button", { name: "Try again" }).click();
    await rows().first().waitFor(PATIENCE);
  });

  test("fit a narrow screen in the dark", async () => {
    const narrow = await dashboard.open({ width: 390, scheme: "dark" });
    await narrow.goto(path());
    await narrow.page.getByRole("grid", { name: "Model calls" }).locator("tbody tr").first().click(PATIENCE);
    await narrow.page.getByRole("dialog").getByText(RIGHT_TO_LEFT).waitFor(PATIENCE);
    expect(await narrow.violations()).toEqual([]);
    expect(
      await narrow.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      ),
    ).toBe(0);
    expect(narrow.complaints).toEqual([]);
    await narrow.context.close();
  });

  test("have their own page for all experiments", async () => {
    await tab.goto("/calls");
    await tab.page.getByRole("heading", { level: 1, name: "Calls" }).waitFor(PATIENCE);
    await rows().first().waitFor(PATIENCE);
    await tab.page.getByRole("button", { name: /many calls.*Experiment/ }).click();
    await tab.page.getByRole("option", { name: "an older one" }).click();
    await tab.page.getByText("No model calls").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("log no errors", () => expect(tab.complaints).toEqual([]));
});
