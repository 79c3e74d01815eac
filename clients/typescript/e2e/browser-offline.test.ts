import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium } from "../test-support/chromium.ts";
import { type PageOptions, PageSite } from "../test-support/page-site.ts";

const ROUNDS = 20;
/** A client that by itself sends only full batches, so the end of the page must deliver the rest. */
const SELDOM = { flushIntervalMs: 600_000 };
/** Retries take milliseconds instead of seconds, and so does what a flush waits for. */
const HASTE = 20;
const FLUSH_MS = 10_000 * HASTE;
const PATIENT = { timeout: 80_000 };
const executable = findChromium();

const usersOf = (name: string, count = 5) => Array.from({ length: count }, (_, index) => `${name}-${index}`);

describe.skipIf(executable === null)("in Chromium, an undelivered event", () => {
  let site: PageSite;
  let context: BrowserContext;
  beforeAll(async () => {
    site = await PageSite.start(executable!);
    return () => site.stop();
  });
  beforeEach(async () => {
    site.front.isDown = false;
    site.service.requests.length = 0;
    context = await site.browser.newContext();
    return () => context.close();
  });

  /** Starts a client in the page; when the service is down, the config comes from the page. */
  async function startClient(page: Page, options: PageOptions = {}, haste = 1): Promise<void> {
    const given = site.options(options);
    expect(await page.evaluate(([o, h]) => openClient(o, h), [given, haste] as const)).toBe(true);
  }

  async function openPage(options: PageOptions = {}, haste = 1): Promise<Page> {
    const page = await site.openPage(context);
    await startClient(page, options, haste);
    // The answer comes after the client's own request to open the database, which a page in use has had time
    // for.
    await page.evaluate(() => countKept());
    return page;
  }

  /** Waits until an event of each user has arrived; repeats must be the same event. */
  async function expectDelivered(users: readonly string[]): Promise<void> {
    const missing = () => {
      const seen = new Set(site.events.map(({ user_id }) => user_id));
      return users.filter((user) => !seen.has(user));
    };
    await expect.poll(missing, PATIENT).toEqual([]);
    const first = new Map<unknown, unknown>();
    for (const event of site.events) {
      expect(event).toEqual(first.get(event.user_id) ?? event);
      first.set(event.user_id, event);
    }
  }

  const expectKept = (page: Page, count: number) =>
    expect.poll(() => page.evaluate(() => countKept()), PATIENT).toBe(count);

  test("is sent when the page navigates away right after track", async () => {
    const page = await site.openPage(context);
    const users: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const next = `${site.url}?${round}`;
      const late = usersOf(`gone${round}`);
      users.push(...late);
      await startClient(page, SELDOM);
      await page.evaluate(
        ([names, url]) => {
          trackFor(names);
          leaveFor(url);
        },
        [late, next] as const,
      );
      await page.waitForURL(next);
    }
    await startClient(page);
    await expectDelivered(users);
  });

  test("is sent when the page is closed right after track", async () => {
    const users: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const page = await openPage(SELDOM);
      const late = usersOf(`closed${round}`);
      users.push(...late);
      await page.evaluate((names) => trackFor(names), late);
      await page.close();
    }
    await openPage();
    await expectDelivered(users);
  });

  test("is kept when the service is down as the page ends, and is sent on the next visit", async () => {
    const users: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const page = await openPage(SELDOM);
      // The previous round's event is stored; the database is idle, as it is most of the time.
      await expectDelivered(users);
      await expectKept(page, 0);
      site.front.isDown = true;
      const late = usersOf(`down${round}`);
      users.push(...late);
      await page.evaluate((names) => trackFor(names), late);
      await (round % 2 === 0 ? page.goto("about:blank") : page.close());
      site.front.isDown = false;
    }
    await openPage();
    await expectDelivered(users);
  });

  test("is sent or kept in full when a page may not send that much as it ends", async () => {
    const page = await openPage(SELDOM);
    const users = usersOf("large", 60);
    await page.evaluate((names) => {
      trackFor(names, 5_000);
      leaveFor("?gone");
    }, users);
    await page.waitForURL(`${site.url}?gone`);
    await startClient(page);
    await expectDelivered(users);
  });

  test("is kept after the last attempt, and replayed after a reload with its ids and times", async () => {
    const page = await openPage({}, HASTE);
    await context.setOffline(true);
    const users = usersOf("offline");
    const [from, to] = await page.evaluate((names) => {
      const start = Date.now();
      trackFor(names);
      return [start, Date.now()] as const;
    }, users);
    await expectKept(page, users.length);
    expect(site.events).toEqual([]);
    await context.setOffline(false);
    await page.reload();
    await startClient(page);
    await expectDelivered(users);
    for (const { timestamp } of site.events) {
      expect(Date.parse(String(timestamp))).toBeGreaterThanOrEqual(from);
      expect(Date.parse(String(timestamp))).toBeLessThanOrEqual(to);
    }
    await expectKept(page, 0);
  });

  test("is not lost when two tabs share the store", async () => {
    const tabs = [await openPage({}, HASTE), await openPage({}, HASTE)];
    site.front.isDown = true;
    const users = await Promise.all(
      tabs.map(async (tab, index) => {
        const names = usersOf(`tab${index}`, 150);
        await tab.evaluate((given) => trackFor(given), names);
        return names;
      }),
    );
    await Promise.all(tabs.map((tab) => expectKept(tab, 300)));
    site.front.isDown = false;
    await Promise.all(tabs.map((tab) => tab.reload()));
    await Promise.all(tabs.map((tab) => startClient(tab)));
    await expectDelivered(users.flat());
    await Promise.all(tabs.map((tab) => expectKept(tab, 0)));
  });

  test("is in no database when the store is off", async () => {
    const page = await openPage({ offlineStore: false }, HASTE);
    await context.setOffline(true);
    await page.evaluate((names) => trackFor(names), usersOf("off"));
    await expect.poll(() => page.evaluate(() => lines.join("\n")), PATIENT).toMatch(/given up/);
    expect(await page.evaluate("indexedDB.databases()")).toEqual([]);
  });

  const BROKEN = [
    { how: "is absent", script: "delete window.indexedDB; delete Window.prototype.indexedDB" },
    {
      how: "may not be named",
      script: `Object.defineProperty(window, "indexedDB", { get() { throw new DOMException("", "SecurityError"); } })`,
    },
    {
      how: "may not be opened",
      script: `IDBFactory.prototype.open = () => { throw new DOMException("", "SecurityError"); }`,
    },
    {
      how: "fails to open",
      script: `IDBFactory.prototype.open = () => { const request = new EventTarget();
        setTimeout(() => { const event = new Event("error"); request.error = new DOMException("", "UnknownError");
          request.dispatchEvent(event); request.onerror?.(event); });
        return request; }`,
    },
    { how: "never opens", script: "IDBFactory.prototype.open = () => new EventTarget()" },
    {
      how: "has no room",
      script: "IDBObjectStore.prototype.put = function () { this.transaction.abort(); }",
    },
  ];
  test.each(BROKEN)("is sent from memory when IndexedDB $how", async ({ script }) => {
    await context.addInitScript(script);
    const page = await site.openPage(context);
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    await startClient(page, SELDOM, HASTE);
    const users = usersOf("memory");
    await page.evaluate((names) => trackFor(names), users);
    expect(await page.evaluate((timeoutMs) => assay.flush(timeoutMs), FLUSH_MS)).toBe(true);
    await expectDelivered(users);
    await context.setOffline(true);
    await page.evaluate(() => trackFor(["lost"]));
    expect(await page.evaluate((timeoutMs) => assay.flush(timeoutMs), FLUSH_MS)).toBe(false);
    await context.setOffline(false);
    const last = usersOf("last");
    await page.evaluate((names) => {
      trackFor(names);
      leaveFor("?gone");
    }, last);
    await expectDelivered(last);
    expect(faults).toEqual([]);
  });
});
