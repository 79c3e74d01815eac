import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody, metricBody } from "../../../apps/server/src/test-support/experiments.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const PATIENCE_MS = 80_000;
const PAGES = [
  ["/usage", "Usage & plan"],
  ["/keys", "Keys & webhooks"],
  ["/audit", "Audit"],
  ["/security", "Security"],
  ["/alerts", "Alerts"],
  ["/settings", "Settings"],
  ["/feedback", "Feedback"],
  ["/catalogue", "Metrics"],
  ["/catalogue/signup", "signup"],
  ["/judges", "Judges"],
] as const;

describe.skipIf(CHROMIUM === null)("an organization's account", () => {
  let dashboard: Dashboard;
  let owner: Tab;
  let admin: Tab;
  let member: Tab;
  let experimentId: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const made = await dashboard.service.call<{ id: string }>("POST", "/v1/experiments", {
      body: EXPERIMENT,
    });
    experimentId = made.body.id;
    owner = await dashboard.open();
    admin = await dashboard.open({ role: "admin", email: "admin@example.com" });
    member = await dashboard.open({ role: "member", email: "member@example.com" });
    for (const { page } of [owner, admin, member]) page.setDefaultTimeout(PATIENCE_MS);
    await Promise.all([admin.goto("/usage"), member.goto("/usage")]);
  });
  afterAll(() => dashboard?.close());

  test("every page is accessible in light and dark", async () => {
    const dark = await dashboard.open({ scheme: "dark", width: 390 });
    await Promise.all([owner, dark].map(expectEveryPageToBeAccessible));
    expect(dark.complaints).toEqual([]);
    await dark.context.close();
  });

  test("usage shows what counts, what happens at 100%, and that there is no billing", async () => {
    const { page } = owner;
    await owner.goto("/usage?billing=canceled");
    await page.getByText("(owner of My organization)").waitFor();
    await page.getByText("Nothing was charged").waitFor();
    await page.getByRole("meter", { name: "Events" }).waitFor();
    await page.getByText("Assignment is free").waitFor();
    await page.getByText("does not apply plan limits: at 100%").waitFor();
    await page.getByText("This installation has no billing").waitFor();
    expect(await page.getByRole("button", { name: /Check out/ }).count()).toBe(0);
  });

  test("a checkout that the service refuses says why", async () => {
    const { page } = owner;
    await page.route("**/v1/billing/summary", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), billing_configured: true } });
    });
    await owner.goto("/usage");
    await page.getByRole("button", { name: "Check out pro" }).click();
    await page.getByRole("alert").getByText("This installation has no billing", { exact: true }).waitFor();
    await page.unroute("**/v1/billing/summary");
  });

  test("a key is shown once, can be revealed, and stops working when it is replaced", async () => {
    const { page } = owner;
    await owner.goto("/keys");
    await page.getByRole("button", { name: "Create a publishable key" }).click();
    await page.getByRole("button", { name: "Create the key" }).click();
    const first = await page.getByLabel("Your new publishable key").inputValue();
    expect(first).toMatch(/^svc_pk_/);
    expect(await owner.violations()).toEqual([]);

    await page.reload();
    await page.getByRole("button", { name: "Reveal the publishable key" }).waitFor();
    expect(await page.content()).not.toContain(first);
    await page.getByRole("article", { name: "publishable key" }).getByText(first.slice(0, 8)).waitFor();
    await page.getByRole("button", { name: "Reveal the publishable key" }).click();
    expect(await page.getByRole("textbox", { name: "The publishable key" }).inputValue()).toBe(first);

    await page.getByRole("button", { name: "Replace the publishable key" }).click();
    await page.getByText("Clients with the old publishable key get 401 immediately").waitFor();
    await page.getByRole("button", { name: "Replace the key", exact: true }).click();
    const second = await page.getByLabel("Your new publishable key").inputValue();
    const statuses = await Promise.all([first, second].map((key) => statusWith(key)));
    expect(statuses).toEqual([401, 200]);
  });

  test("a delivery signed in the page is accepted, and the secret is gone after a reload", async () => {
    const { page } = owner;
    await owner.goto("/keys");
    await page.getByRole("button", { name: "Create a webhook secret" }).click();
    await page.getByRole("button", { name: "Create the secret" }).click();
    const secret = await page.getByLabel("Your new webhook secret").inputValue();
    const body = JSON.stringify({ experiment_id: experimentId, user_id: "ann", business_metric: "revenue" });
    await page.getByLabel("Webhook secret", { exact: true }).last().fill(secret);
    await page.getByLabel("Body").fill(body);
    await page.getByRole("button", { name: "Use the current time" }).click();
    const header = await page.getByRole("region", { name: "Header" }).locator("code").textContent();
    const answer = await fetch(`${dashboard.service.service.url}/v1/business-events`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": await page.getByLabel("webhook-id").inputValue(),
        "webhook-timestamp": await page.getByLabel("webhook-timestamp").inputValue(),
        "webhook-signature": (header ?? "").replace("webhook-signature: ", ""),
      },
      body,
    });
    expect(answer.status).toBe(202);
    await page.reload();
    await page.getByText("It was shown once and cannot be shown again.").waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  test("a member sees why they can change neither keys nor members nor prices", async () => {
    const { page } = member;
    await member.goto("/keys");
    await page.getByText("As a member, you can see which keys exist.").waitFor();
    expect(await page.getByRole("button", { name: /Create|Replace|Reveal/ }).count()).toBe(0);
    expect(await member.violations()).toEqual([]);
    await member.goto("/settings");
    await page.getByText("Ask an admin or owner to invite members.").waitFor();
    await page.getByText("Ask an admin or owner to make a service token.").waitFor();
    await page.getByText("Ask an admin or owner to set your own prices.").waitFor();
    await page.getByText("Ask an admin or owner to export or erase a user's data.").waitFor();
    expect(await page.getByRole("button", { name: /Remove|Role|Withdraw/ }).count()).toBe(0);
    expect(await member.violations()).toEqual([]);
  });

  test("the audit shows changes, can be filtered by the URL, and exports all matches", async () => {
    const { page } = owner;
    await owner.goto("/audit?target=publishable");
    await page.getByText("Revealed the publishable key.").waitFor();
    expect(await page.getByText("Made a new secret for business events.").count()).toBe(0);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).click();
    expect((await download).suggestedFilename()).toBe("assay-audit.csv");
    await page
      .locator("main")
      .getByText(/Exported 3.entries: all that match/)
      .waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByText("Made a new secret for business events.").waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("the publishable key's origins are set, and a page of another one is refused", async () => {
    const { page } = owner;
    await owner.goto("/keys");
    const origins = page.getByRole("textbox", { name: "Allowed origins" });
    await origins.fill("https://app.example.com\nhttps://app.example.com/shop");
    await page.getByRole("button", { name: "Save the origins" }).click();
    await page.getByText("https://app.example.com/shop: must be an origin").waitFor();
    expect(await owner.violations()).toEqual([]);
    await origins.fill("https://app.example.com\n");
    await page.getByRole("button", { name: "Save the origins" }).click();
    await expect.poll(() => origins.inputValue()).toBe("https://app.example.com");
    await member.goto("/keys");
    await member.page.getByText("Allowed origins: https://app.example.com.").waitFor();
    await page.getByRole("button", { name: "Reveal the publishable key" }).click();
    const key = await page.getByRole("textbox", { name: "The publishable key" }).inputValue();
    const statuses = ["https://app.example.com", "https://evil.example"].map((origin) =>
      statusWith(key, { origin }),
    );
    expect(await Promise.all(statuses)).toEqual([200, 403]);
    await origins.fill("");
    await page.getByRole("button", { name: "Save the origins" }).click();
    await expect.poll(() => statusWith(key, { origin: "https://evil.example" })).toBe(200);
  });

  test("days with unusual use of the publishable key are shown beside it", async () => {
    const { page } = owner;
    const path = "**/v1/keys/publishable/unusual-days";
    const items = [{ day: "2026-11-20", events: 4_300_000, limit: 1_000_000 }];
    await page.route(path, (route) => route.fulfill({ json: { items } }));
    await owner.goto("/keys");
    const card = page.getByRole("article", { name: "publishable key" });
    await card.getByText("4,300,000 events; up to 1,000,000 are usual.").waitFor();
    expect(await owner.violations()).toEqual([]);
    await page.unroute(path);
  });

  test("people are invited by links that are shown once and can be withdrawn", async () => {
    const { page } = admin;
    await admin.goto("/settings");
    await page.getByText("Only owners can change owners.").waitFor();
    await page.getByRole("button", { name: "Create invitation link" }).click();
    await page.getByText("Enter an email address.").waitFor();
    await page.getByLabel("Email").fill("ann@example.com");
    // Two presses, faster than the page shows the first.
    await page
      .getByRole("button", { name: "Create invitation link" })
      .evaluate((button: { click(): void }) => {
        button.click();
        button.click();
      });
    const link = await page.getByLabel(/Sign-in link of ann@example.com, member/).inputValue();
    expect(link).toContain("/sign-in#ticket=");
    expect(await admin.violations()).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Withdraw the invitation of ann@example.com" }).click();
    expect(await page.content()).not.toContain(link);
    await page.getByRole("button", { name: "Withdraw it" }).click();
    await page.getByText("No pending invitations.").waitFor();
  });

  test("a service token is shown once, listed, revoked, and all of it is a security event", async () => {
    const { page } = admin;
    await admin.goto("/settings");
    await page.getByRole("button", { name: "Create service token" }).click();
    await page.getByText("Enter what the token is for.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("nightly report");
    await page.getByRole("button", { name: "Create service token" }).click();
    const token = await page.getByLabel("Service token nightly report", { exact: true }).inputValue();
    expect(token).toMatch(/^svc_st_/);
    const { status } = await dashboard.service.call("GET", "/v1/whoami", { token });
    expect(status).toBe(200);
    expect(await admin.violations()).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Revoke the service token nightly report" }).click();
    expect(await page.content()).not.toContain(token);
    await page.getByRole("button", { name: "Revoke it" }).click();
    await page.getByText("No service tokens.").waitFor();
    await admin.goto("/security");
    await page.getByText("Service token revoked").waitFor();
    expect(await page.content()).not.toContain(token);
    expect(await admin.violations()).toEqual([]);
  });

  test("roles change, members are removed, and the last owner stays", async () => {
    const { page } = owner;
    await dashboard.service
      .token({ role: "member", email: "leaver@example.com" })
      .then((token) => dashboard.service.call("GET", "/v1/whoami", { token }));
    await owner.goto("/settings");
    await changeRole(owner, "leaver@example.com", "admin");
    await page.getByText("Changed the role of leaver@example.com to admin.").waitFor();
    await page.getByRole("button", { name: "Remove leaver@example.com" }).click();
    await page.getByText("Their sessions end immediately.").waitFor();
    await page.getByRole("button", { name: "Remove them" }).click();
    await page.getByText("Removed leaver@example.com.").waitFor();
    await page.getByRole("row", { name: /leaver@example.com/ }).waitFor({ state: "detached" });

    await changeRole(owner, "owner@assay.local", "member");
    await page.getByRole("alert").getByText("An organization keeps at least one owner").waitFor();
    expect(await owner.violations()).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();
  });

  test.each([
    { roles: "provider", says: "So do their roles: change them there.", roleButtons: 0 },
    { roles: "here", says: "Roles that it names are changed there, all other roles here.", roleButtons: 1 },
  ])("with an identity provider, the page says where members are managed: roles $roles", async (of) => {
    const { page } = owner;
    await page.route("**/auth/identity", (route) =>
      route.fulfill({ json: { kind: "oidc", issuer: "https://id.example.com", roles: of.roles } }),
    );
    await owner.goto("/settings");
    await page.getByText(of.says).waitFor();
    await page.getByText("Members are managed elsewhere").waitFor();
    await page.getByText("https://id.example.com").waitFor();
    await page.getByText("New people join with their first sign-in at the identity provider.").waitFor();
    await page
      .getByRole("button", { name: /^Remove/ })
      .first()
      .waitFor();
    const roleButtons = await page.getByRole("button", { name: /^Change the role/ }).count();
    expect(Math.min(roleButtons, 1)).toBe(of.roleButtons);
    expect(await page.getByRole("button", { name: /^New sign-in link/ }).count()).toBe(0);
    await page.unroute("**/auth/identity");
  });

  test("an own price is set and removed, and a built-in one is found by the URL", async () => {
    const { page } = owner;
    await owner.goto("/settings?model=haiku");
    await page.getByText("claude-3-haiku", { exact: true }).waitFor();
    await page.getByText("Set your own price", { exact: true }).click();
    await page.getByRole("button", { name: "Set the price" }).click();
    await page.getByText("This field is required. It can be 0.").first().waitFor();
    await page.getByLabel("Model", { exact: true }).fill("our-model");
    await page.getByLabel("Input, US$ per million tokens", { exact: true }).fill("0.8");
    await page.getByLabel("Output, US$ per million tokens", { exact: true }).fill("3.2");
    await page.getByRole("button", { name: "Set the price" }).click();
    const row = page.getByRole("row", { name: /our-model/ });
    await row.getByText("$0.8").waitFor();
    await row.getByRole("button").click();
    await page.getByRole("button", { name: "Remove the price", exact: true }).click();
    await page.getByText("No prices of your own.").waitFor();
  });

  test("a user's data is downloaded and erased, after a confirmation that says what happens", async () => {
    const { page } = admin;
    const key = await dashboard.service.newKey("secret");
    const event = { event_id: "leaving", type: "exposure", experiment_id: experimentId, variant: "control" };
    const body = [{ ...event, user_id: LEAVING, timestamp: new Date().toISOString() }];
    await dashboard.service.call("POST", "/v1/events", { key, body });
    await admin.goto("/settings");
    const download = page.getByRole("button", { name: "Download events" });
    expect(await download.isDisabled()).toBe(true);
    await page.getByLabel("User id").fill("nobody");
    await download.click();
    await page.getByRole("main").getByText("Nothing is stored about this user.").waitFor();
    const path = `/v1/users/${encodeURIComponent(LEAVING)}/events`;
    const stored = async () => (await dashboard.service.call<string | null>("GET", path)).body;
    await expect.poll(stored, { timeout: 20_000 }).not.toBeNull();
    await page.getByLabel("User id").fill(LEAVING);
    const file = page.waitForEvent("download");
    await download.click();
    expect(readFileSync(await (await file).path(), "utf8")).toBe(await stored());
    await page.getByRole("button", { name: "Erase…" }).click();
    await page.getByText("removed within a day and cannot be").waitFor();
    expect(await admin.violations()).toEqual([]);
    await page.getByRole("button", { name: "Erase the user" }).click();
    await page.getByText("Erasure requested", { exact: true }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "audit log", exact: true }).click();
    await page.getByText("Requested the erasure of a user.").waitFor();
    expect(await page.content()).not.toContain("leaving");
  });

  test("feedback keeps its input over a reload and a failure, and lists what was sent", async () => {
    const { page } = member;
    await member.goto("/feedback");
    await page.getByLabel("Message").fill("More <b>colors</b>, please");
    await page.reload();
    expect(await page.getByLabel("Message").inputValue()).toBe("More <b>colors</b>, please");
    await page.route("**/v1/feedback", (route) =>
      route.request().method() === "POST" ? route.fulfill({ status: 500, body: "" }) : route.continue(),
    );
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Your input is kept. Try again in a moment.").waitFor();
    expect(await page.getByLabel("Message").inputValue()).toBe("More <b>colors</b>, please");
    await page.unroute("**/v1/feedback");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("listitem").getByText("More <b>colors</b>, please").waitFor();
    expect(await page.getByLabel("Message").inputValue()).toBe("");
    expect(await member.violations()).toEqual([]);
  });

  test("signing out ends the session and deletes drafts, or says that it failed", async () => {
    const tab = await dashboard.open({ role: "member", email: "leaving@example.com" });
    const { page } = tab;
    page.setDefaultTimeout(PATIENCE_MS);
    await tab.goto("/feedback");
    await page.getByRole("textbox").first().fill("half a thought");
    await page.route("**/auth/sign-out", (route) => route.abort());
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are still signed in.").waitFor();
    await page.unroute("**/auth/sign-out");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("How to sign in").waitFor();
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("half a thought");
    await tab.goto("/usage");
    await page.waitForURL(/sign-in/);
    await tab.context.close();
  });

  test("the browser logs no errors", () => {
    for (const { complaints } of [owner, admin, member]) expect(complaints).toEqual([]);
  });

  const statusWith = async (key: string, headers: Readonly<Record<string, string>> = {}) =>
    (await dashboard.service.call("GET", "/v1/config", { key, headers })).status;
});

const LEAVING = "leaving/<b>&🙂";

const EXPERIMENT = experimentBody("Greeting", {
  metrics: [
    metricBody("signup", { kind: "binary", shared_org_wide: true, role: "primary" }),
    metricBody("helpful", { kind: "binary", category: "quality" }),
  ],
});

async function expectEveryPageToBeAccessible(tab: Tab): Promise<void> {
  for (const [path, heading] of PAGES) {
    await tab.goto(path);
    await tab.page.getByRole("heading", { level: 1, name: heading }).waitFor();
    expect({ path, found: await tab.violations() }).toEqual({ path, found: [] });
    expect({ path, isWide: await isWiderThanItsPlace(tab) }).toEqual({ path, isWide: false });
  }
}

async function changeRole({ page }: Tab, email: string, role: string): Promise<void> {
  await page.getByRole("button", { name: `Change the role of ${email}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: /Role/ }).click();
  await page.getByRole("option", { name: role }).click();
  await page.getByRole("button", { name: `Make them ${role}` }).click();
}

async function isWiderThanItsPlace({ page }: Tab): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
}
