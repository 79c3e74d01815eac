import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Reply, ScriptedServer } from "../../../scenario-server/scripted-server.ts";
import { ACK, EVENTS, idsOf, keptEvent, makeSender } from "../../test-support/sender-fixture.ts";
import { openIndexedDb } from "../offline/indexeddb-store.ts";
import { createKeeper } from "../offline/keeper.ts";
import type { KeptEvent, OfflineStore, Replay } from "../offline-store.ts";
import type { Platform } from "../platform.ts";
import { createTransport, type Fetch } from "../transport.ts";
import * as browser from "./browser.ts";

vi.mock("../offline/indexeddb-store.ts", async (original) => {
  const actual = await original<typeof import("../offline/indexeddb-store.ts")>();
  return { openIndexedDb: vi.fn(actual.openIndexedDb) };
});

const platform: Platform = browser;
let server: ScriptedServer;
let page: EventTarget;
beforeEach(async () => {
  server = await ScriptedServer.start();
  page = new EventTarget();
  vi.stubGlobal("document", { visibilityState: "visible" });
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await server.stop();
});

/** Hides the page as a switch to another tab does. */
function hide(): void {
  vi.stubGlobal("document", { visibilityState: "hidden" });
  page.dispatchEvent(new Event("visibilitychange"));
}
const leave = () => page.dispatchEvent(new Event("pagehide"));

/** The contents of the page's store. The store itself is tested in a real browser (e2e). */
class HeldEvents implements OfflineStore {
  readonly held = new Map<string, KeptEvent>();

  async keep(events: readonly KeptEvent[]): Promise<number> {
    for (const event of events) this.held.set(event.eventId, event);
    return 0;
  }
  async forget(events: readonly KeptEvent[]): Promise<void> {
    for (const { eventId } of events) this.held.delete(eventId);
  }
  async takeReplay(): Promise<Replay | null> {
    return null;
  }
  close(): void {}
}

const STORE_OFF = { offlineStore: false, apiKey: "k", now: Date.now };

/** Resolves once the page's lazily loaded part is loaded and in use. */
async function loaded(): Promise<void> {
  await import("./lazy.ts");
  await null;
}

/** A sender in a page; `keepalives` lists the keepalive of each request. */
async function openPage(fetchFromPage: Fetch = fetch, store = new HeldEvents()) {
  const keepalives: (boolean | undefined)[] = [];
  const noted: Fetch = (url, init) => {
    keepalives.push(init.keepalive);
    return fetchFromPage(url, init);
  };
  const parts = makeSender(server);
  const settings = {
    apiKey: "svc_pk_1",
    baseUrl: server.url,
    fetch: noted,
    schedule: parts.schedule.run,
    log: parts.log,
    noteDate() {},
  };
  const transport = createTransport({ ...settings, life: new AbortController().signal });
  const sender = makeSender(server, {
    limits: platform.limits,
    transport,
    schedule: parts.schedule.run,
  });
  const end = new AbortController();
  vi.mocked(openIndexedDb).mockReturnValueOnce(store);
  platform.attach(sender.sender, { ...STORE_OFF, end, log: sender.log });
  await loaded();
  return { ...sender, schedule: parts.schedule, store, keepalives, end };
}

describe("a hidden page", () => {
  test("sends what is unsent by keepalive, keeps a copy, and forgets it once acknowledged", async () => {
    server.script(EVENTS, "hang", ACK);
    const { track, store, keepalives, queue, sender } = await openPage();
    server.script(EVENTS, ACK);
    track(3);
    hide();
    expect([...store.held.keys()]).toEqual(["e0", "e1", "e2"]);
    await server.received(EVENTS, 1);
    await expect.poll(() => queue.size).toBe(0);
    expect([store.held.size, keepalives]).toEqual([0, [true]]);
    expect(server.batches.map(idsOf)).toEqual([["e0", "e1", "e2"]]);
    expect(await sender.flush(1_000)).toBe(true);
  });

  test("takes the batch on its way along, whose request would end with the page", async () => {
    server.script(EVENTS, "hang", ACK);
    const { track, store, queue } = await openPage();
    track(100);
    await server.received(EVENTS, 1);
    track(1);
    hide();
    expect(store.held.size).toBe(101);
    await expect.poll(() => queue.size).toBe(0);
    expect(server.batches[1]).toHaveLength(101);
  });

  test("sends each event once when it is hidden and left at the same time, and later ones too", async () => {
    server.script(EVENTS, ACK);
    const { track, queue } = await openPage();
    track(2);
    hide();
    leave();
    track(1);
    leave();
    await expect.poll(() => queue.size).toBe(0);
    expect(server.batches.flatMap(idsOf).sort()).toEqual(["e0", "e1", "e2"]);
  });

  test("sends at most 60 KB; the rest is kept, and goes on when the page comes back", async () => {
    server.script(EVENTS, "hang", ACK);
    const { track, store, queue, schedule, sender } = await openPage();
    track(100, "x".repeat(1_000));
    await server.received(EVENTS, 1); // 50 KB fill a batch
    hide();
    leave();
    expect(store.held.size).toBe(100);
    await server.received(EVENTS, 2);
    expect(server.at(EVENTS)[1]!.body.length).toBeLessThan(60_100);
    expect(server.at(EVENTS)).toHaveLength(2);
    const flushed = sender.flush(70_000);
    await schedule.fire(10_000);
    await schedule.fire(500);
    expect(await flushed).toBe(true);
    expect(queue.size).toBe(0);
    expect(store.held.size).toBe(0);
  });

  test("lets an event that is too large stay behind, not the others", async () => {
    server.script(EVENTS, ACK);
    const { sender, store } = await openPage();
    sender.add(keptEvent("large", "x".repeat(70_000)));
    sender.add(keptEvent("small"));
    hide();
    await server.received(EVENTS, 1);
    expect(server.at(EVENTS).some(({ body }) => body.includes("small") && !body.includes("large"))).toBe(
      true,
    );
    await expect.poll(() => store.held.size).toBe(0);
  });

  test.each<{ name: string; reply: Reply }>([
    { name: "500", reply: { status: 500 } },
    { name: "a broken connection", reply: "reset" },
    { name: "400", reply: { status: 400 } },
  ])("keeps everything when the last request ends in $name", async ({ reply }) => {
    server.script(EVENTS, reply);
    const { track, store, queue } = await openPage();
    track(2);
    hide();
    await server.received(EVENTS, 1);
    expect([store.held.size, queue.size]).toEqual([2, 2]);
  });

  test("asks again without keepalive where the browser refuses it", async () => {
    server.script(EVENTS, ACK);
    const refuses: Fetch = (url, init) =>
      init.keepalive ? Promise.reject(new TypeError("keepalive")) : fetch(url, init);
    const { track, keepalives, queue } = await openPage(refuses);
    track(1);
    hide();
    await expect.poll(() => queue.size).toBe(0);
    expect(keepalives).toEqual([true, undefined]);
  });

  test("sends nothing while the key is refused, but keeps it", async () => {
    server.script(EVENTS, { status: 401 });
    const { sender, track, store } = await openPage();
    track(1);
    await sender.flush(1_000);
    hide();
    expect([store.held.size, server.requests.length]).toEqual([1, 1]);
  });
});

test.each(["blur", "focus", "visibilitychange"])("%s alone sends nothing", async (type) => {
  const { track, keepalives, store } = await openPage();
  track(1);
  page.dispatchEvent(new Event(type));
  expect([keepalives, store.held.size]).toEqual([[], 0]);
});

test("a closed client does not hear of the page any more", async () => {
  const { track, keepalives, end } = await openPage();
  track(1);
  end.abort();
  hide();
  expect(keepalives).toEqual([]);
});

test("the first event leaves within 1 s, to warm the preflight; later ones take their time", async () => {
  server.script(EVENTS, ACK);
  const { track, schedule, queue } = await openPage();
  track(1);
  await schedule.fire(1_000);
  await expect.poll(() => queue.size).toBe(0);
  track(1);
  expect(schedule.delays).toEqual([5_000]);
});

test("a thousand events or a mebibyte wait at most", () => {
  server.script(EVENTS, "hang");
  const { track, queue } = makeSender(server, { limits: platform.limits });
  track(1_001);
  expect(queue.size).toBe(1_000);
});

/** Returns the store that a page is given, null for none. */
async function openStore(offlineStore?: boolean): Promise<OfflineStore | null> {
  const { sender, log } = makeSender(server);
  platform.attach(sender, { ...STORE_OFF, end: new AbortController(), offlineStore, log });
  await loaded();
  return vi.mocked(openIndexedDb).mock.results.at(-1)!.value;
}

test.each([
  { name: "false turns the store off", offlineStore: false, indexedDB: {} },
  { name: "without IndexedDB there is none", offlineStore: undefined, indexedDB: undefined },
])("$name", async ({ offlineStore, indexedDB }) => {
  vi.stubGlobal("indexedDB", indexedDB);
  expect(await openStore(offlineStore)).toBeNull();
});

test("what is kept is sent again when the store is loaded after the config", async () => {
  server.script(EVENTS, ACK);
  const { sender } = makeSender(server);
  sender.noteReachable();
  const store = new HeldEvents();
  vi.spyOn(store, "takeReplay").mockResolvedValueOnce({ events: [keptEvent("old")], release() {} });
  sender.useKeeper((queue) => createKeeper(store, queue));
  await server.received(EVENTS, 1);
  expect(server.batches.map(idsOf)).toEqual([["old"]]);
});

test("what a page loads later and cannot is a warning, and a hidden page sends as well as it can", async () => {
  vi.doMock("./lazy.ts", () => Promise.reject(new Error("gone")));
  vi.resetModules();
  const fresh: Platform = await import("./browser.ts");
  server.script(EVENTS, ACK);
  const { log, lines, sender, track, queue } = makeSender(server);
  fresh.attach(sender, { ...STORE_OFF, end: new AbortController(), log });
  await expect.poll(() => lines).toEqual(["warn [assay] a part did not load, nothing is kept"]);
  track(1);
  leave();
  await expect.poll(() => queue.size).toBe(0);
  const [use, missing] = [vi.fn(), vi.fn()];
  fresh.later(use, missing);
  await expect.poll(() => missing.mock.calls).toHaveLength(1);
  expect(use).not.toHaveBeenCalled();
  vi.doUnmock("./lazy.ts");
});

test.each<[string, unknown]>([
  [
    "throws",
    {
      open: () => {
        throw new Error("private window");
      },
    },
  ],
  [
    "fails",
    {
      open: () => {
        const request: { onerror?: () => void } = {};
        queueMicrotask(() => request.onerror?.());
        return request;
      },
    },
  ],
])("an IndexedDB that %s keeps nothing, and throws nothing", async (_name, indexedDB) => {
  vi.stubGlobal("indexedDB", indexedDB);
  const store = await openStore();
  expect(await store?.keep([keptEvent("a")])).toBe(1);
  expect(await store?.takeReplay()).toBeNull();
  await store?.forget([keptEvent("a")]);
  store?.close();
});
