import { findAssignmentIn } from "@assay/client/rendering";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { findChromium } from "../../typescript/test-support/chromium.ts";
import { CrossOriginFront } from "../../typescript/test-support/cross-origin-front.ts";
import { config } from "../test-support/config.ts";
import { buildNextApp, type NextServer, startNextApp } from "../test-support/next-app.ts";
import { ACK } from "../test-support/rendered-site.ts";

const executable = findChromium();
const users = Array.from({ length: 8 }, (_, index) => `user-${index}`);
const shownTo = (user: string) =>
  findAssignmentIn(config(1), "greeting", user)?.variant.key === "brief"
    ? "brief: Be brief."
    : "control: Answer.";

describe.skipIf(executable === null)("a Next.js application built from the README", () => {
  let service: ScriptedServer;
  let front: CrossOriginFront;
  let browser: Browser;
  let next: NextServer;
  beforeAll(async () => {
    service = await ScriptedServer.start();
    service.script("/v1/config", { status: 200, body: config(1) });
    service.script("/v1/events", ACK);
    [front, browser] = await Promise.all([
      CrossOriginFront.start(service),
      chromium.launch({ executablePath: executable!, args: ["--no-sandbox"] }),
      buildNextApp(),
    ]);
    next = await startNextApp({
      ASSAY_API_KEY: "svc_pk_1",
      ASSAY_BASE_URL: front.url,
      NEXT_MANUAL_SIG_HANDLE: "true",
    });
  });
  afterAll(async () => {
    await browser?.close();
    await front?.stop();
    await service?.stop();
  });

  const sent = (type: string) =>
    service.batches
      .flat()
      .filter((event) => event.type === type)
      .map(({ user_id, variant, business_metric }) => [user_id, variant ?? business_metric])
      .sort();

  test("shows what the server sent after hydration, without warnings, and then records the exposure", async () => {
    for (const user of users) {
      const answer = await fetch(next.url, { headers: { cookie: `user=${user}` } });
      expect(await answer.text()).toContain(`>${shownTo(user)}</button>`);
    }
    expect(service.at("/v1/events")).toEqual([]);

    const faults: string[] = [];
    // One of each variant.
    const visitors = ["brief", "control"].map((key) => users.find((user) => shownTo(user).startsWith(key))!);
    for (const user of visitors) {
      const context = await browser.newContext();
      await context.addCookies([{ name: "user", value: user, url: next.url }]);
      await context.addInitScript(recordTexts);
      const page = await context.newPage();
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (line) => {
        if (line.type() !== "info" && line.type() !== "log") faults.push(`${user}: ${line.text()}`);
      });
      await page.goto(next.url);
      await expect.poll(() => sent("exposure").map(([exposed]) => exposed)).toContain(user);
      await page.locator("button").click();
      expect(await page.evaluate("texts")).toEqual([shownTo(user)]);
      await expect.poll(() => sent("business_event")).toContainEqual([user, "thumbs_up"]);
      await context.close();
    }
    expect(faults.filter((fault) => !fault.includes("favicon") && !fault.includes("404"))).toEqual([]);
    expect(sent("exposure")).toEqual(visitors.map((user) => [user, shownTo(user).split(":")[0]]).sort());
  });

  test("sends everything that its server still holds at SIGTERM", async () => {
    const before = service.batches.flat().length;
    for (const user of users)
      expect((await fetch(`${next.url}/outcomes`, { method: "POST", body: user })).status).toBe(204);
    expect(service.batches.flat()).toHaveLength(before);
    expect(await next.terminate()).toBe(0);
    expect(sent("business_event").filter(([, metric]) => metric === "bought")).toEqual(
      users.map((user) => [user, "bought"]),
    );
  });
});

/** Runs in the page before everything else: records every text that the button had. */
function recordTexts(): void {
  const texts: string[] = [];
  Object.assign(globalThis, { texts });
  const note = () => {
    const text = document.querySelector("button")?.textContent ?? null;
    if (text !== null && text !== "" && texts.at(-1) !== text) texts.push(text);
  };
  new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
}
