import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BrowserTab } from "../test-support/browser-tab.ts";
import { findChromium } from "../test-support/chromium.ts";
import { PageSite } from "../test-support/page-site.ts";

const PATIENT = { timeout: 80_000 };
/** A whole suite runs at the same time, so a busy machine may need a while. */
const FLUSH = `assay.flush(${PATIENT.timeout})`;
const executable = findChromium();

describe.skipIf(executable === null)("in Chromium, a tab that goes to the background", () => {
  let site: PageSite;
  let tab: BrowserTab;
  let other: BrowserTab;
  beforeAll(async () => {
    site = await PageSite.start(executable!);
    return () => site.stop();
  });
  beforeEach(async () => {
    site.front.isDown = false;
    site.service.requests.length = 0;
    other = await BrowserTab.open(site.browser, "about:blank");
    tab = await openTab();
    return async () => {
      await tab.close();
      await other.close();
    };
  });

  async function openTab(): Promise<BrowserTab> {
    const opened = await BrowserTab.open(site.browser, site.url);
    await expect.poll(() => opened.evaluate("typeof openClient"), PATIENT).toBe("function");
    const options = JSON.stringify(site.options({ flushIntervalMs: 600_000 }));
    expect(await opened.evaluate(`openClient(${options})`)).toBe(true);
    // Events after the first flush wait for the interval; events left by an earlier tab are delivered before
    // that.
    expect(await opened.evaluate(`trackFor(["first"]); ${FLUSH}`)).toBe(true);
    await expect.poll(() => opened.evaluate("countKept()"), PATIENT).toBe(0);
    return opened;
  }

  const users = () => site.events.map(({ user_id }) => user_id);

  test("sends its events when it is hidden", async () => {
    await tab.evaluate(`trackFor(["hidden"])`);
    await other.bringToFront();
    await expect.poll(users, PATIENT).toEqual(["first", "hidden"]);
    await tab.bringToFront();
    await tab.evaluate(`trackFor(["shown"])`);
    await other.bringToFront();
    await expect.poll(users, PATIENT).toEqual(["first", "hidden", "shown"]);
  });

  test("loses nothing when it is hidden, frozen and discarded while the service is down", async () => {
    site.front.isDown = true;
    await tab.evaluate(`trackFor(["frozen"])`);
    await other.bringToFront();
    await expect.poll(() => tab.evaluate("countKept()"), PATIENT).toBe(1);
    await tab.setLifecycle("frozen");
    await tab.close();
    site.front.isDown = false;
    tab = await openTab();
    await expect.poll(users, PATIENT).toContain("frozen");
  });

  test("continues after it was frozen", async () => {
    await tab.evaluate(`trackFor(["before"])`);
    await other.bringToFront();
    await tab.setLifecycle("frozen");
    await tab.setLifecycle("active");
    await tab.bringToFront();
    expect(await tab.evaluate(`trackFor(["after"]); ${FLUSH}`)).toBe(true);
    expect(users()).toEqual(expect.arrayContaining(["before", "after"]));
  });

  test("continues when the page was left and is restored from memory", async () => {
    await tab.evaluate(`trackFor(["left"]); leaveFor("?next")`);
    await expect.poll(() => tab.evaluate("location.search"), PATIENT).toBe("?next");
    await expect.poll(users, PATIENT).toContain("left");
    await tab.evaluate("history.back()");
    await expect.poll(() => tab.evaluate("location.search"), PATIENT).toBe("");
    expect(await tab.evaluate("typeof assay")).toBe("object");
    expect(await tab.evaluate(`trackFor(["back"]); ${FLUSH}`)).toBe(true);
    expect(users()).toContain("back");
  });
});
