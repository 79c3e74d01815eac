import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Experiment } from "../../../apps/dashboard/src/api/types.ts";
import { experimentBody, metricBody } from "../../../apps/server/src/test-support/experiments.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { createScene, daysAgo, sendUsers } from "./support/scenes.ts";

const PATIENCE = { timeout: 80_000 };

describe.skipIf(CHROMIUM === null)("changing and deciding", () => {
  let dashboard: Dashboard;
  let key: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    key = await dashboard.service.newKey("publishable");
  });
  afterAll(() => dashboard?.close());

  const read = async (id: string) =>
    (await dashboard.service.call<Experiment>("GET", `/v1/experiments/${id}`)).body;
  const put = (id: string, body: object) =>
    dashboard.service.call<Experiment>("PUT", `/v1/experiments/${id}`, { body });

  /** A running experiment that client libraries have read, with two users. */
  const running = async (name: string, change: object = {}): Promise<string> => {
    const { body } = await dashboard.service.call<Experiment>("POST", "/v1/experiments", {
      body: configOf(name, change),
    });
    if (body.status !== "running") return body.id;
    await dashboard.service.call("GET", "/v1/config", { key });
    for (const user of ["u-1", "u-2"])
      await dashboard.service.call("POST", "/v1/assign", {
        key,
        body: { experiment_id: body.id, user_id: user },
      });
    return body.id;
  };
  const open = async (path: string, visitor?: Parameters<Dashboard["open"]>[0]): Promise<Tab> => {
    const tab = await dashboard.open(visitor);
    await tab.goto(path);
    await tab.page.getByRole("heading", { level: 1 }).waitFor(PATIENCE);
    return tab;
  };
  const choose = (page: Page, topic: string) =>
    page
      .getByRole("region", { name: "What do you want to change?" })
      .getByText(topic, { exact: true })
      .click();
  const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
  const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor(PATIENCE);

  test("shows the effect of a change on users, saves it, and shows what is in force", async () => {
    const id = await running("sticky");
    const { page, context, violations, complaints } = await open(`/experiments/${id}/change`);
    await says(page, "No changes yet.");
    await choose(page, "Weights and share of traffic");
    await page.getByRole("textbox", { name: "Weight of concise" }).fill("300");
    await choose(page, "Variants: prompts, variables, QA users, who gets them, enabled or not");
    await page.getByRole("textbox", { name: "Prompt of concise" }).fill("Shorter still.");
    await page.getByRole("textbox", { name: "QA users of concise" }).fill("qa-ann\nqa-ben");
    await choose(page, "Metrics");
    await page.getByText("What it measures").click();
    await page.getByRole("textbox", { name: "Window per user, in days" }).fill("7");
    await page.getByRole("textbox", { name: "Window per user, in days" }).blur();
    expect(await violations()).toEqual([]);
    await press(page, "Review the change");
    await says(page, "the new weights apply only to traffic that you add");
    await says(page, "All users of concise get it with your application's next config poll.");
    await says(page, "version 1 → 2, set for you");
    await says(page, "QA users: 2");
    expect(await violations()).toEqual([]);
    await press(page, "Save version 2");
    await page.getByRole("heading", { name: "Version 2 is in force" }).waitFor(PATIENCE);
    await says(page, "The split in force differs from your weights");
    await says(page, /Assignments unchanged/);
    expect(await violations()).toEqual([]);
    expect(await read(id)).toMatchObject({
      version: 2,
      allocation: [{ weight: 1 }, { weight: 300 }],
      effective_allocation: { control: 0.5, concise: 0.5 },
      variants: [{ prompt: "Help." }, { prompt: "Shorter still." }],
      qa_users: { concise: ["qa-ann", "qa-ben"] },
      metrics: [{ name: "bought", metric_version: 2, window_days: 7 }],
    });
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("asks why the decision plan is changed once users are exposed, and says what the results will say", async () => {
    const scene = await createScene(dashboard.service, "replanned");
    const { id } = scene;
    await sendUsers(dashboard.service, scene, { day: daysAgo(1), users: 20 });
    const exposures = async () =>
      (await dashboard.service.call<{ exposures: number }>("GET", `/v1/experiments/${id}/overview`)).body
        .exposures;
    await expect.poll(exposures, PATIENCE).toBeGreaterThan(0);
    const { page, context, violations, complaints } = await open(`/experiments/${id}/change`);
    await choose(page, "Decision plan");
    await says(page, "Users are exposed, so looks at the results may have shaped this change.");
    await page.getByRole("textbox", { name: "Horizon in weeks" }).fill("6");
    await page.getByRole("textbox", { name: "Horizon in weeks" }).blur();
    await page.getByRole("radio", { name: /Once, at the planned end/ }).check({ force: true });
    expect(await violations()).toEqual([]);
    await press(page, "Review the change");
    await says(page, "Explain in one sentence why you are changing the plan.");
    const reason = page.getByRole("textbox", { name: "Why are you changing the plan?" });
    await reason.and(page.locator(":focus")).waitFor(PATIENCE);
    await reason.fill("A holiday falls into it.");
    await press(page, "Review the change");
    await says(page, "The results will say that the plan was changed, and why.");
    expect(await violations()).toEqual([]);
    await press(page, "Save version 2");
    await page.getByRole("heading", { name: "Version 2 is in force" }).waitFor(PATIENCE);
    expect(await read(id)).toMatchObject({
      plan: { horizon_weeks: 6, looks: "fixed", reason: "A holiday falls into it." },
    });
    expect(complaints).toEqual([]);
    await page.goto(`/experiments/${id}/setup`);
    await says(page, "A holiday falls into it.");
    await says(page, /Runs 6\sweeks, as requested\./);
    await page.goto(`/experiments/${id}/versions`);
    await says(page, "decision plan: horizon weeks");
    await context.close();
  });

  test("keeps a change over a reload and over someone else's version", async () => {
    const id = await running("contested");
    const { page, context } = await open(`/experiments/${id}/change`);
    await choose(page, "Name and texts");
    await page.getByRole("textbox", { name: "Hypothesis" }).fill("mine");
    await page.reload();
    await page.getByRole("textbox", { name: "Hypothesis" }).waitFor(PATIENCE);
    expect(await page.getByRole("textbox", { name: "Hypothesis" }).inputValue()).toBe("mine");
    await press(page, "Review the change");
    await put(id, { description: "theirs", hypothesis: "theirs" });
    await press(page, "Save version 2");
    await says(page, "Someone saved version 2 while you were editing version 1");
    await says(page, "You changed hypothesis too");
    await press(page, "Apply my changes to version 2");
    await press(page, "Save version 3");
    await page.getByRole("heading", { name: "Version 3 is in force" }).waitFor(PATIENCE);
    expect(await read(id)).toMatchObject({ version: 3, description: "theirs", hypothesis: "mine" });
    await context.close();
  });

  test("starts a draft, once its new name is free", async () => {
    await running("occupied", { status: "draft" });
    const id = await running("drafted", { status: "draft" });
    const { page, context } = await open(`/experiments/${id}/change`);
    await choose(page, "Start it");
    await choose(page, "Name and texts");
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("occupied");
    await press(page, "Review the change");
    await press(page, "Save version 2");
    await name.and(page.locator(":focus")).waitFor(PATIENCE);
    await name.fill("freed");
    await press(page, "Review the change");
    await says(page, "The draft starts");
    await press(page, "Save version 2");
    await says(page, "No users had a variant yet.");
    expect(await read(id)).toMatchObject({ status: "running", name: "freed" });
    await context.close();
  });

  test("stops against the recommendation only with a note, and resumes", async () => {
    const id = await running("decided");
    const { page, context, violations, complaints } = await open(`/experiments/${id}/decide`);
    await says(page, /Let it run|Nothing to decide yet/);
    await says(page, "your code gets null");
    await page.getByRole("radio", { name: /Won/ }).check({ force: true });
    expect(await violations()).toEqual([]);
    await press(page, "Stop without shipping");
    await says(page, "Explain in one sentence why you are deciding otherwise.");
    await page.reload();
    const note = page.getByRole("textbox", { name: "Why are you going against the recommendation?" });
    await note.fill("The launch is tomorrow and concise is cheaper.");
    await press(page, "Stop without shipping");
    await page.waitForURL(/\/report$/, PATIENCE);
    expect(await read(id)).toMatchObject({
      status: "stopped",
      decision: {
        outcome: "won",
        variant: "concise",
        note: "The launch is tomorrow and concise is cheaper.",
      },
    });
    await page.goto(`/experiments/${id}/decide`);
    await says(page, "This experiment is stopped");
    expect(await violations()).toEqual([]);
    await press(page, "Resume…");
    await says(page, "Get their previous variant back with the next config poll.");
    expect(await violations()).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Resume it" }).click();
    await says(page, "Your decision");
    expect(await read(id)).toMatchObject({ status: "running", decision: null });
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("ships a variant to everybody, and takes it back with one click", async () => {
    const id = await running("shipped");
    const key = await dashboard.service.newKey("secret");
    const given = async () => {
      const answers = ["ann", "bob", "cem", "dan", "eve", "fay", "gus", "hal"].map((userId) =>
        dashboard.service.call<{ variant: string | null }>("POST", "/v1/assign", {
          ...{ key, body: { experiment_id: id, user_id: userId } },
        }),
      );
      return [...new Set((await Promise.all(answers)).map(({ body }) => body.variant))].sort();
    };
    const { page, context, violations, complaints } = await open(`/experiments/${id}/decide`);
    await page.getByRole("radio", { name: /Won/ }).check({ force: true });
    await says(page, "everybody gets concise with its prompt and variables");
    const note = page.getByRole("textbox", { name: "Why are you going against the recommendation?" });
    await note.fill("It is cheaper, and the launch is tomorrow.");
    expect(await violations()).toEqual([]);
    await press(page, "Ship concise to everybody");
    await page.waitForURL(/\/report$/, PATIENCE);
    await says(page, "A variant won. Everybody gets concise.");
    expect(await violations()).toEqual([]);
    expect(await given()).toEqual(["concise"]);
    await page.goto(`/experiments/${id}`);
    await says(page, "Shipped: a variant won. Everybody gets concise.");
    expect(await violations()).toEqual([]);
    await page.getByRole("link", { name: "Decision…" }).click(PATIENCE);
    await says(page, "This experiment is shipped");
    expect(await violations()).toEqual([]);
    await press(page, "Take concise back");
    await says(page, "This experiment is stopped");
    await says(page, "Assay gives nobody a variant. To give concise to everybody, ship it.");
    expect(await given()).toEqual([null]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("ships a variant and holds some users back, until that is ended", async () => {
    const id = await running("held back", { assignment: "assay" });
    const { page, context, violations, complaints } = await open(`/experiments/${id}/decide`);
    await page.getByRole("radio", { name: /Won/ }).check({ force: true });
    await page.getByRole("button", { name: /Hold back, if you ship/ }).click();
    await page.getByRole("option", { name: "5% of all users" }).click();
    await says(page, "everybody but the 5% held back gets concise");
    const note = page.getByRole("textbox", { name: "Why are you going against the recommendation?" });
    await note.fill("It is cheaper, and the launch is tomorrow.");
    expect(await violations()).toEqual([]);
    await press(page, "Ship concise, hold back 5%");
    await page.waitForURL(/\/report$/, PATIENCE);
    await says(page, "5% of all users keep control; everybody else gets concise.");
    expect(await read(id)).toMatchObject({ status: "shipped", holdback: { percent: 5, to: null } });
    await page.goto(`/experiments/${id}`);
    await page.getByRole("heading", { name: "Did the lift last?" }).waitFor(PATIENCE);
    await says(page, "Each week is analyzed a day after it ends. None has been analyzed yet.");
    expect(await violations()).toEqual([]);
    await press(page, "End the holdback…");
    await press(page, "End it now");
    await says(page, "5% of all users kept control until");
    expect((await read(id)).holdback?.to).toEqual(expect.any(String));
    expect(await violations()).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("archives a stopped experiment, brings it back, and deletes it", async () => {
    const id = await running("shelved");
    await put(id, { name: "shelved again", status: "stopped", decision: { outcome: "lost" } });
    const { page, context, violations, complaints } = await open(`/experiments/${id}`);
    await press(page, "Archive");
    await says(page, "shelved again is archived.");
    await page.getByRole("button", { name: "Unarchive" }).waitFor(PATIENCE);
    expect(await violations()).toEqual([]);
    expect(await read(id)).toMatchObject({ status: "archived", decision: { outcome: "lost" } });
    await page.goto(`/experiments/${id}/decide`);
    await says(page, "This experiment is archived");

    await page.goto("/");
    await page.getByRole("link", { name: "Archived" }).click();
    await page.getByRole("heading", { level: 1, name: "Archived experiments" }).waitFor(PATIENCE);
    await page.getByRole("link", { name: "shelved again", exact: true }).click(PATIENCE);
    await press(page, "Unarchive");
    await says(page, "is back in the list, stopped.");
    expect(await read(id)).toMatchObject({ status: "stopped", decision: { outcome: "lost" } });
    await page.getByRole("link", { name: "Setup" }).click();
    await says(page, "Former names (still work)");

    await press(page, "Archive");
    await press(page, "Delete…");
    await says(page, "This cannot be undone.");
    expect(await violations()).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Delete it for good" }).click();
    await says(page, "Deleted shelved again.");
    await page.getByRole("heading", { level: 1, name: "Experiments", exact: true }).waitFor(PATIENCE);
    expect((await dashboard.service.call("GET", `/v1/experiments/${id}`)).status).toBe(404);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("lets members archive, and only admins delete", async () => {
    const id = await running("kept", { status: "draft" });
    const { page, context } = await open(`/experiments/${id}`, { role: "member", email: "m@team.org" });
    await page.getByRole("button", { name: "Archive" }).waitFor(PATIENCE);
    expect(await page.getByRole("button", { name: "Delete…" }).count()).toBe(0);
    await context.close();
  });

  test("has nothing to decide for a draft", async () => {
    const id = await running("undecided", { status: "draft" });
    const { page, context, violations } = await open(`/experiments/${id}/decide`);
    await says(page, "Nothing to decide yet");
    expect(await violations()).toEqual([]);
    await context.close();
  });

  test("fits on a narrow screen in the dark", async () => {
    const id = await running("narrow");
    const visitor = { width: 390, scheme: "dark" } as const;
    for (const path of [`/experiments/${id}/change`, `/experiments/${id}/decide`]) {
      const { page, context, violations } = await open(path, visitor);
      if (path.endsWith("change")) {
        await choose(page, "Name and texts");
        await page.getByRole("textbox", { name: "Name" }).fill("narrower");
        await press(page, "Review the change");
        await says(page, "narrow → narrower");
      } else await says(page, "Your decision");
      expect(await violations()).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
      await context.close();
    }
  });
});

function configOf(name: string, change: object): object {
  return experimentBody(name, {
    bucket_count: 100,
    allocation: [
      { variant: "control", weight: 1 },
      { variant: "concise", weight: 1 },
    ],
    variants: [
      { key: "control", prompt: "Help." },
      { key: "concise", prompt: "Help, briefly." },
    ],
    metrics: [metricBody("bought", { kind: "binary", role: "primary" })],
    ...change,
  });
}
