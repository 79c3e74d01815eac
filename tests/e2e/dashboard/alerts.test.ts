import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AlertReceiver,
  startAlertReceiver,
  verified,
} from "../../../apps/server/src/test-support/alert-receiver.ts";
import { tabTo, typeInto } from "./support/keyboard.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";

const PATIENCE_MS = 80_000;

describe.skipIf(CHROMIUM === null)("the page of alerts", () => {
  let dashboard: Dashboard;
  let receiver: AlertReceiver;
  let owner: Tab;

  beforeAll(async () => {
    receiver = await startAlertReceiver();
    dashboard = await openDashboard(undefined, { alerts: { allowsPrivate: true, smtp: null } });
    owner = await dashboard.open();
    owner.page.setDefaultTimeout(PATIENCE_MS);
  });
  afterAll(async () => {
    await dashboard?.close();
    await receiver?.close();
  });

  test("says that there are no channels, and why an address is refused", async () => {
    const { page } = owner;
    await owner.goto("/settings");
    await page.getByRole("main").getByRole("link", { name: "Alerts" }).click();
    await page.getByText("No channels yet").waitFor();
    expect(await owner.violations()).toEqual([]);
    await page.getByRole("button", { name: "Create channel" }).click();
    await page.getByText("Enter where to send.").waitFor();
    await page.getByRole("textbox", { name: "Name" }).fill("on call");
    await page.getByRole("textbox", { name: "Address" }).fill("ftp://example.com");
    await page.getByRole("button", { name: "Create channel" }).click();
    await page.getByText("The address must start with https://").waitFor();
    expect(await owner.violations()).toEqual([]);
  });

  test("creates a webhook by keyboard, shows its secret once, and tests it", async () => {
    const { page } = owner;
    await owner.goto("/alerts");
    await typeInto(page, "Name", "on call");
    await typeInto(page, "Address", `${receiver.url}/hook?token=abcdefghijkl`);
    await tabTo(page, "Create channel");
    await page.keyboard.press("Enter");
    const secret = await page.getByLabel("Signing secret of on call").inputValue();
    expect(secret).toMatch(/^whsec_/);
    await page.getByText(`${receiver.url}/…ijkl`).waitFor();
    expect(await owner.violations()).toEqual([]);
    await page.getByRole("button", { name: "Send a test message to on call" }).click();
    await page.getByText("The test message arrived").waitFor();
    await page.getByText("204: no text").waitFor();
    expect(verified(receiver.at("/hook?token=abcdefghijkl")[0]!, secret)).toMatchObject({ type: "test" });
    await page.reload();
    await page.getByText(`${receiver.url}/…ijkl`).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.content()).not.toContain("abcdefghijkl");
  });

  test("changes which alerts a channel receives, and replaces its secret", async () => {
    const { page } = owner;
    await owner.goto("/alerts");
    await page.getByRole("button", { name: "Edit the channel on call" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("All, including those added by later versions").click();
    for (const name of ["Critical fault in the data", "No exposures for 24 hours"])
      await dialog.getByText(name).click();
    expect(await owner.violations()).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    const { body } = await dashboard.service.call<{ items: { types: string[] }[] }>(
      "GET",
      "/v1/alert-channels",
    );
    expect(body.items[0]?.types).toHaveLength(9);
    expect(body.items[0]?.types).not.toContain("experiment.no_traffic");
    await page.getByRole("button", { name: "New secret for on call" }).click();
    await page.getByRole("button", { name: "Replace the secret", exact: true }).click();
    expect(await page.getByLabel("Signing secret of on call").inputValue()).toMatch(/^whsec_/);
    await page.getByText("The previous secret also signs until").waitFor();
  });

  test("lists deliveries with their answers, and sends one again", async () => {
    const { page } = owner;
    const [path] = receiver.received.map((message) => message.path);
    receiver.answer(path!, (response) => response.writeHead(500).end("Out of order"));
    await owner.goto("/alerts");
    await page.getByRole("button", { name: "Send a test message to on call" }).click();
    await page.getByText("The test message failed").waitFor();
    await page.getByRole("link", { name: "Deliveries to on call" }).click();
    const log = page.getByRole("region", { name: "Deliveries to on call" });
    await log.getByText("500: Out of order").waitFor();
    expect(await owner.violations()).toEqual([]);
    receiver.answer(path!, (response) => response.writeHead(200).end("thanks"));
    await log.getByRole("button", { name: "Send again: Test message" }).first().click();
    await log.getByText("200: thanks").waitFor();
    expect(receiver.at(path!)).toHaveLength(3);
  });

  test("is accessible in the dark and on a narrow screen, and read-only for a member", async () => {
    const { id } = (await dashboard.service.call<{ items: { id: string }[] }>("GET", "/v1/alert-channels"))
      .body.items[0]!;
    const dark = await dashboard.open({ scheme: "dark", width: 390 });
    await dark.goto(`/alerts?channel=${id}`);
    await dark.page.getByText("200: thanks").waitFor();
    expect(await dark.violations()).toEqual([]);
    const widths = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    expect(await dark.page.evaluate<boolean>(widths)).toBe(true);
    expect(dark.complaints).toEqual([]);
    const member = await dashboard.open({ role: "member", email: "member@example.com" });
    await member.goto(`/alerts?channel=${id}`);
    await member.page.getByText("Ask an admin or owner to create a channel.").waitFor();
    await member.page.getByText("200: thanks").waitFor();
    expect(await member.page.getByRole("button", { name: /Test|Edit|Remove|Create|Send/ }).count()).toBe(0);
    expect(await member.violations()).toEqual([]);
    expect(owner.complaints).toEqual([]);
  });

  test("shows what fails, and removes a channel", async () => {
    const { page } = owner;
    await page.route("**/v1/alert-channels", (route) => route.fulfill({ status: 503, body: "" }));
    await owner.goto("/alerts");
    await page.getByRole("alert").getByText("The service answered 503").first().waitFor();
    expect(await owner.violations()).toEqual([]);
    await page.unroute("**/v1/alert-channels");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByRole("button", { name: "Remove the channel on call" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("No channels yet").waitFor();
  });
});
