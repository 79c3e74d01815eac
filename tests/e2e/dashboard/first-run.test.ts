import { symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanUp } from "../support/clean-up.ts";
import { NODE, ROOT, runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const WAIT = { timeout: 80_000 };

let dashboard: Dashboard;
let model: Server;

beforeAll(async () => {
  if (CHROMIUM === null) return;
  [dashboard, model] = await Promise.all([openDashboard(), startModel()]);
});
afterAll(async () => {
  await dashboard?.close();
  model?.close();
  await cleanUp();
});

/** Answers like a provider of chat completions, so that the page's code runs unchanged. */
async function startModel(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          id: "c",
          object: "chat.completion",
          created: 1,
          model: "gpt-4o-mini-2024-07-18",
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "A part." } }],
          usage: { prompt_tokens: 391, completion_tokens: 40, total_tokens: 431 },
        }),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

/** A tab without a session. */
async function openStranger(): Promise<Tab> {
  const tab = await dashboard.open();
  await tab.context.clearCookies();
  return tab;
}

/** A one-time link as an admin sends it. */
async function invitation(email: string): Promise<string> {
  const { body } = await dashboard.service.call<{ url: string }>("POST", "/v1/invitations", {
    body: { email, role: "member" },
  });
  return body.url;
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true, level: 1 });

async function expectShown(place: Locator): Promise<void> {
  await place.waitFor(WAIT);
}

async function expectClean(tab: Tab): Promise<void> {
  expect(await tab.violations()).toEqual([]);
  expect(tab.complaints).toEqual([]);
}

describe.skipIf(CHROMIUM === null)("the first run", () => {
  test("visitors without a session see how to sign in", async () => {
    const tab = await openStranger();
    await tab.goto("/keys");
    await expectShown(heading(tab.page, "You are not signed in"));
    await expectShown(tab.page.getByText("npm start"));
    expect(new URL(tab.page.url()).pathname).toBe("/sign-in");
    await expectClean(tab);
    // Whoever signs in comes back to the page that they opened.
    await tab.page.goto(await invitation("wanted@example.com"));
    await tab.page.waitForURL("**/keys", WAIT);
    await tab.context.close();
  });

  test("with an identity provider, the page names it", async () => {
    const tab = await openStranger();
    let signIn: string | null = null;
    await tab.page.route("**/auth/identity", (route) =>
      route.fulfill({
        json: { kind: "oidc", issuer: "https://id.example.com", sign_in: signIn, roles: "provider" },
      }),
    );
    await tab.goto("/sign-in");
    await expectShown(tab.page.getByRole("link", { name: "https://id.example.com" }));
    signIn = "/auth/start";
    await tab.goto("/usage?month=2026-10");
    const start = tab.page.getByRole("link", { name: "Sign in with id.example.com" });
    await expectShown(start);
    expect(await start.getAttribute("href")).toBe("/auth/start?return_to=%2Fusage%3Fmonth%3D2026-10");
    await tab.context.close();
  });

  test("a ticket signs in once, and is not kept in the URL", async () => {
    const tab = await openStranger();
    const { page } = tab;
    const link = dashboard.service.service.signInUrl;
    await page.goto(link);
    await expectShown(heading(page, "Experiments"));
    expect(page.url()).not.toContain("ticket");

    await tab.context.clearCookies();
    await page.goto(link);
    await expectShown(heading(page, "This link no longer works"));
    await expectShown(page.getByText("The link was used before or has expired"));
    expect(page.url()).not.toContain("ticket");
    await expectClean(tab);

    // A link pasted on the same page does not reload it.
    const next = await invitation("second@example.com");
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(next).hash)}`);
    await expectShown(heading(page, "Experiments"));
    await tab.context.close();
  });

  test("a tab with an ended session continues after a sign-in in another tab", async () => {
    const tab = await openStranger();
    await tab.page.goto(await invitation("third@example.com"));
    await expectShown(heading(tab.page, "Experiments"));
    const button = tab.page.getByRole("button", { name: "Load the demo experiment" });
    await expectShown(button);
    await tab.context.clearCookies();
    await button.click(WAIT);
    await expectShown(tab.page.getByText("Your session has ended"));

    const other = await tab.context.newPage();
    await other.goto(await invitation("third@example.com"));
    await expectShown(heading(other, "You are signed in"));
    await expectShown(other.getByText("You can return to the other tab."));
    await tab.page.getByText("Your session has ended").waitFor({ ...WAIT, state: "detached" });
    await tab.context.close();
  });

  test("a member cannot create a key, and sees who can", async () => {
    const tab = await dashboard.open({ role: "member", email: "member@example.com" });
    await tab.goto("/start");
    await expectShown(tab.page.getByText("Ask an admin to create one"));
    await expectShown(tab.page.getByRole("button", { name: "Create a starter experiment" }));
    await tab.context.close();
  });

  test("four steps tick automatically: key, code, first call, outcome", async () => {
    const tab = await dashboard.open();
    const { page } = tab;
    await tab.goto("/");
    await expectShown(page.getByText("No experiments yet.", { exact: true }));
    await expectShown(page.getByText("0 of 4 done"));
    await expectClean(tab);

    await page.getByRole("button", { name: "Create a publishable key" }).click(WAIT);
    await expectShown(page.getByText(/^svc_pk_/));
    await page.getByRole("button", { name: "Create a starter experiment" }).click(WAIT);
    await expectShown(page.getByText("Waiting for your first call…"));
    expect(page.url()).toContain("/start?experiment=");
    await expectShown(page.getByText("1 of 4 done"));

    await page.getByRole("button", { name: "Send a test event" }).click(WAIT);
    await expectShown(page.getByText("Received the test event:"));
    await expectShown(page.getByText("1 of 4 done"));
    await expectClean(tab);

    await runTypeScript(await codeOf(page, "Code for a model call: TypeScript"));
    await expectShown(
      page.getByText(/gpt-4o-mini-2024-07-18 · .+ · 431\stokens · variant (control|concise)/),
    );
    await expectShown(page.getByText("3 of 4 done"));

    await page
      .getByRole("tablist", { name: "Code for an outcome" })
      .getByRole("tab", { name: "curl" })
      .click();
    await runShell(await codeOf(page, "Code for an outcome: curl"), /"accepted":1\b/);
    await expectShown(page.getByText("4 of 4 done"));
    await expectShown(page.getByText("All set"));
    await expectClean(tab);
    await tab.context.close();
  });

  test("the code for curl assigns, and its events are accepted", async () => {
    const tab = await dashboard.open({ scheme: "dark", width: 390 });
    const { page } = tab;
    await tab.goto("/start");
    await page.getByRole("button", { name: "Fill it in below" }).click(WAIT);
    await page
      .getByRole("tablist", { name: "Code for a model call" })
      .getByRole("tab", { name: "curl" })
      .click(WAIT);
    // The key is filled in once it is revealed.
    await expectShown(
      page.getByRole("region", { name: "Code for a model call: curl" }).getByText(/svc_pk_\w/),
    );
    const accepted = /"variant":"(control|concise)".*"accepted":2\b/s;
    await runShell(await codeOf(page, "Code for a model call: curl"), accepted);
    const isTooWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    expect(await page.evaluate(isTooWide)).toBe(false);
    await expectClean(tab);
    await tab.context.close();
  });

  test("too many test events show when the next one is allowed", async () => {
    const tab = await dashboard.open();
    await tab.goto("/start");
    const button = tab.page.getByRole("button", { name: "Send a test event" });
    let status = 0;
    while (status !== 429) {
      const answer = tab.page.waitForResponse(/test-event/, WAIT);
      await button.click(WAIT);
      status = (await answer).status();
    }
    await expectShown(tab.page.getByText(/5 are allowed/));
    await expectShown(tab.page.getByText(/Try again in \d+ minutes/));
    await expectClean(tab);
    await tab.context.close();
  });
});

/** The code as the page shows it. */
async function codeOf(page: Page, label: string): Promise<string> {
  return (await page.getByRole("region", { name: label }).locator("code").textContent(WAIT)) ?? "";
}

/** Runs the page's code as if pasted into a file, with this repository's client and a provider that answers. */
async function runTypeScript(code: string): Promise<void> {
  const folder = temporaryFolder();
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "first-call.ts"), code);
  const { port } = model.address() as AddressInfo;
  const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
  const { code: exit, stdout, stderr } = await runProgram(NODE, [join(folder, "first-call.ts")], env);
  expect([exit, stderr, stdout]).toEqual([0, "", "A part.\n"]);
}

async function runShell(code: string, answer: RegExp): Promise<void> {
  const { code: exit, stdout } = await runProgram("bash", ["-ec", code]);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(answer)]);
}
