import { join } from "node:path";
import { openLmdbQueue } from "@assay/storage";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { experimentBody, metricBody } from "../../../apps/server/src/test-support/experiments.ts";
import type { TestService } from "../../../apps/server/src/test-support/test-service.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const PATIENCE_MS = 80_000;

describe.skipIf(CHROMIUM === null)("the pages of the platform owner", () => {
  let dashboard: Dashboard;
  let owner: Tab;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const { service } = dashboard;
    await service.call("POST", "/v1/experiments", { body: EXPERIMENT });
    const key = await service.newKey("publishable");
    await service.call("POST", "/v1/events", { key, body: { events: EVENTS } });
    await service.call("POST", "/v1/feedback", { body: { message: "From inside", category: "idea" } });
    await service.call("POST", "/v1/contact", { body: CONTACT });
    const stranger = await service.token({ org: "org_other", email: "zoe@other.example", role: "owner" });
    await service.call("GET", "/v1/whoami", { token: stranger });
    await leaveUnreadable(service, 2);
    owner = await dashboard.open();
    owner.page.setDefaultTimeout(PATIENCE_MS);
  });
  afterAll(() => dashboard?.close());

  test.each(["/platform", "/platform/inbox", "/platform/orgs/0198"])(
    "%s is closed to an organization's owner, with the reason",
    async (path) => {
      const stranger = await dashboard.open({ role: "owner", email: "boss@example.com" });
      await stranger.goto(path);
      await stranger.page.getByText("Only platform owners can see this page").waitFor();
      await stranger.page.getByText("boss@example.com", { exact: true }).first().waitFor();
      expect(await stranger.page.getByRole("link", { name: "Platform" }).count()).toBe(0);
      expect(await stranger.violations()).toEqual([]);
      await stranger.context.close();
    },
  );

  test("the overview shows totals, traffic, health and every organization", async () => {
    const { page } = owner;
    await owner.goto("/platform");
    await page.getByText("All parts respond, nothing is late").waitFor();
    await page.getByRole("img", { name: /3 events in 30 days/ }).waitFor();
    await page.getByText("Show the numbers").click();
    await page.getByRole("table", { name: "Events per UTC day" }).waitFor();
    await page.getByRole("row", { name: /^org_other/ }).waitFor();
    expect(await owner.violations()).toEqual([]);
    const dark = await dashboard.open({ scheme: "dark", width: 390 });
    await dark.goto("/platform");
    await dark.page.getByRole("img", { name: /3 events in 30 days/ }).waitFor();
    expect(await dark.violations()).toEqual([]);
    await dark.context.close();
  });

  test("a night is run by hand and reported; a future day is refused at its field", async () => {
    const { page } = owner;
    await owner.goto("/platform");
    await page.getByRole("textbox", { name: "UTC day" }).fill("2999-01-01");
    await page.getByRole("button", { name: "Run the night" }).click();
    await page.getByText("is in the future").waitFor();
    await page.getByRole("textbox", { name: "UTC day" }).fill(new Date().toISOString().slice(0, 10));
    await page.getByRole("button", { name: "Run the night" }).click();
    await page.getByRole("row", { name: /Greeting.*collecting/ }).waitFor();
  });

  test("dead letters are shown with their reason, and replayed", async () => {
    const { page } = owner;
    await owner.goto("/platform");
    await page.getByText("2 accepted batches of events could not be stored").waitFor();
    await page
      .getByRole("row", { name: /SyntaxError/ })
      .first()
      .waitFor();
    expect(await owner.violations()).toEqual([]);
    await page.getByRole("button", { name: "Replay", exact: true }).first().click();
    await page.getByText("1 batch put back into the queue.").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Replay all" }).click();
    await page
      .getByText(/put back into the queue/)
      .last()
      .waitFor({ state: "attached" });
  });

  test("seats are pushed to Clerk; the local identity has no provider to update", async () => {
    const { page } = owner;
    expect(await page.getByText("Seats at the identity provider").count()).toBe(0);
    await page.route("**/auth/identity", (route) =>
      route.fulfill({ json: { kind: "clerk", issuer: "https://clerk.example.com", sign_in: null } }),
    );
    await page.route("**/v1/admin/seats/resync", (route) =>
      route.fulfill({ json: { provider: "clerk", pushed: 2, failed: [] } }),
    );
    await owner.goto("/platform");
    await page.getByRole("button", { name: "Push the seats again" }).click();
    await page.locator("main").getByText("Pushed the seats of 2 organizations to clerk").waitFor();
    await page.unroute("**/auth/identity");
  });

  test("a plan is pinned after a confirmation, and unpinned again", async () => {
    const { page } = owner;
    await owner.goto("/platform");
    await page.getByRole("link", { name: "org_other" }).click();
    await page.getByRole("heading", { level: 1, name: "org_other" }).waitFor();
    await page.getByRole("row", { name: /zoe@other.example/ }).waitFor();
    await choosePlan(owner, "enterprise");
    await page.getByRole("button", { name: "Pin enterprise…" }).click();
    await page.getByText("The plan changes from free to enterprise").waitFor();
    expect(await owner.violations()).toEqual([]);
    await page.getByRole("button", { name: "Pin enterprise", exact: true }).click();
    await page.getByText("The current plan is enterprise.").waitFor();
    await choosePlan(owner, "not pinned");
    await page.getByRole("button", { name: "Unpin the plan…" }).click();
    await page.getByRole("button", { name: "Unpin the plan", exact: true }).click();
    await page.getByText("The current plan is free.").waitFor();
  });

  test("the inbox shows feedback and contact messages as plain text", async () => {
    const { page } = owner;
    await owner.goto("/platform/inbox");
    await page.getByText("From inside").waitFor();
    await page.getByText(CONTACT.message).waitFor();
    expect(await owner.violations()).toEqual([]);
  });

  test("an unknown organization shows an error", async () => {
    await owner.goto("/platform/orgs/01980000-0000-7000-8000-000000000000");
    await owner.page.getByRole("alert").getByText("There is no such organization").waitFor();
  });

  test("the browser logs no errors", () => expect(owner.complaints).toEqual([]));
});

/** Puts unreadable batches into the stopped service's queue, and waits until they are dead letters. */
async function leaveUnreadable(service: TestService, batches: number): Promise<void> {
  const { body: me } = await service.call<{ org_id: string }>("GET", "/v1/whoami");
  await service.service.close();
  const queue = await openLmdbQueue({ dir: join(service.dataDir, "queue") });
  const header = { orgId: me.org_id, receivedAt: Date.now(), rejected: [], experiments: {} };
  for (let n = 0; n < batches; n += 1) await queue.append(header, Buffer.from("{"));
  await queue.close();
  await service.restart();
  const count = async () =>
    (await service.call<{ count: number }>("GET", "/v1/admin/dead-letters")).body.count;
  await vi.waitFor(async () => expect(await count()).toBe(batches), PATIENCE_MS);
}

const EXPERIMENT = experimentBody("Greeting", { metrics: [metricBody("cost", { category: "cost" })] });

const CONTACT = {
  name: "Zoe",
  email: "zoe@outside.example",
  message: "<script>alert(1)</script> from outside",
  website: "",
};

const EVENTS = ["u1", "u2", "u3"].map((user) => ({
  event_id: user,
  type: "exposure",
  experiment_id: "Greeting",
  user_id: user,
  timestamp: new Date().toISOString(),
}));

async function choosePlan({ page }: Tab, plan: string): Promise<void> {
  await page.getByRole("button", { name: /Plan$/ }).click();
  await page.getByRole("option", { name: plan }).click();
}
