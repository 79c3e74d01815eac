import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const HOUR_MS = 3_600_000;
const PATIENCE_MS = 20_000;
const EMAIL = "ann@team.org";

describe.skipIf(CHROMIUM === null)("passkeys in a browser", () => {
  let ahead = 0;
  let dashboard: Dashboard;
  /** Browsers use passkeys at a host name only. */
  let origin: string;
  let tab: Tab;

  beforeAll(async () => {
    dashboard = await openDashboard({ now: () => Date.now() + ahead });
    origin = dashboard.service.service.url.replace("127.0.0.1", "localhost");
    const token = await dashboard.service.token({ email: EMAIL, role: "admin" });
    await dashboard.service.call("GET", "/v1/whoami", { token });
    tab = await openWithAuthenticator();
    await signIn(tab);
  }, 240_000);
  afterAll(() => dashboard.close());

  async function openWithAuthenticator(): Promise<Tab> {
    const opened = await dashboard.open({ role: "admin", email: EMAIL });
    opened.page.setDefaultTimeout(PATIENCE_MS);
    const devices = await opened.context.newCDPSession(opened.page);
    await devices.send("WebAuthn.enable");
    await devices.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    return opened;
  }

  async function newLink(): Promise<string> {
    const { body } = await dashboard.service.call<{ url: string }>("POST", "/v1/invitations", {
      body: { email: EMAIL },
    });
    return `${origin}/sign-in${new URL(body.url).hash}`;
  }

  async function signIn({ page }: Tab): Promise<void> {
    await page.goto(await newLink());
    await page.getByRole("heading", { level: 1, name: "Experiments" }).waitFor();
  }

  async function open({ page }: Tab, path: string): Promise<void> {
    await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
  }

  test("a passkey is added on the page Account, which is accessible", async () => {
    const { page } = tab;
    await open(tab, "/account");
    await page.getByText("You have no passkey yet.").waitFor();
    await page.getByLabel("Name of the new passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: "Remove the passkey Laptop" }).waitFor();
    expect(await tab.violations()).toEqual([]);
  });

  test("a passkey makes an old session recent, to reveal a key", async () => {
    const { page } = tab;
    await dashboard.service.newKey("secret");
    ahead = HOUR_MS;
    await open(tab, "/keys");
    const reveal = page.getByRole("button", { name: "Reveal the secret key" });
    await reveal.click();
    await page.getByText("This needs a recent sign-in").waitFor();
    expect(await tab.violations()).toEqual([]);
    await page.getByRole("button", { name: "Confirm with your passkey" }).click();
    await page.getByRole("main").getByText("Confirmed. Now try the action").waitFor();
    await reveal.click();
    await page
      .getByText(/^svc_sk_/)
      .first()
      .waitFor();
  });

  test("the page says that another device has no passkey", async () => {
    const other = await openWithAuthenticator();
    ahead = 0;
    await signIn(other);
    ahead = HOUR_MS;
    await open(other, "/keys");
    await other.page.getByRole("button", { name: "Reveal the secret key" }).click();
    await other.page.getByRole("button", { name: "Confirm with your passkey" }).click();
    await other.page.getByText("The browser returned no passkey").waitFor();
    await other.context.close();
  });

  test("a passkey is removed after a confirmation, and no longer works", async () => {
    const { page } = tab;
    await open(tab, "/account");
    await page.getByRole("button", { name: "Remove the passkey Laptop" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("You have no passkey yet.").waitFor();
    ahead = 3 * HOUR_MS;
    await open(tab, "/keys");
    await page.getByRole("button", { name: "Reveal the secret key" }).click();
    await page.getByText("You can sign in again with a new link.").waitFor();
    expect(await page.getByRole("button", { name: "Confirm with your passkey" }).count()).toBe(0);
  });

  test("when passkeys are required, a sign-in link leads to using one, or to adding the first one", async () => {
    const { page } = tab;
    ahead = 3 * HOUR_MS;
    await signIn(tab);
    await open(tab, "/account");
    await page.getByLabel("Name of the new passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: "Remove the passkey Laptop" }).waitFor();
    await open(tab, "/settings");
    await page.getByText(/^Without a passkey: .*owner@assay.local/).waitFor();
    await page.getByRole("button", { name: "Require passkeys…" }).click();
    // Before it holds: the test's own owner has no device.
    const link = await newLink();
    await page.getByRole("button", { name: "Require them" }).click();
    await page.getByText("Everybody in this organization needs a passkey").waitFor();
    expect(await tab.violations()).toEqual([]);

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("How to sign in").waitFor();
    await page.goto(link);
    await page.getByRole("heading", { name: "Your organization requires a passkey" }).waitFor();
    expect(await tab.violations()).toEqual([]);
    await page.getByRole("button", { name: "Use your passkey" }).click();
    await page.getByRole("heading", { level: 1, name: "Experiments" }).waitFor();

    const first = await dashboard.open({ role: "member", email: "carl@team.org" });
    first.page.setDefaultTimeout(PATIENCE_MS);
    await first.goto("/");
    await first.page.getByLabel("Name of the new passkey").waitFor();
    expect(await first.page.getByRole("heading", { name: "Experiments" }).count()).toBe(0);
    await first.context.close();

    await open(tab, "/settings");
    await page.getByRole("button", { name: "Reset the passkeys of carl@team.org" }).click();
    await page.getByRole("button", { name: "Remove their passkeys" }).click();
    await page.getByText("Removed the passkeys of carl@team.org.").waitFor();
  });

  test("at an IP address, the page says which address to use", async () => {
    const numbers = await dashboard.open({ role: "admin", email: "bob@team.org" });
    await numbers.goto("/account");
    await numbers.page.getByLabel("Name of the new passkey").fill("Laptop");
    await numbers.page.getByRole("button", { name: "Add a passkey" }).click();
    await numbers.page.getByText("Open the dashboard at http://localhost").waitFor();
    await numbers.context.close();
  });

  test("the browser logs no errors", () => {
    expect(tab.complaints).toEqual([]);
  });
});
