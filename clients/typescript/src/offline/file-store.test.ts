import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ManualSchedule } from "../../test-support/manual-schedule.ts";
import { RecordedLog } from "../../test-support/recorded-log.ts";
import { keptEvent } from "../../test-support/sender-fixture.ts";
import { createClientLog } from "../client-log.ts";
import type { KeptEvent } from "../offline-store.ts";
import { FileStore } from "./file-store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "assay-store-"));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

const NOON = Date.UTC(2026, 6, 6, 12);

function open(offlineStore: string | boolean | undefined = folder, apiKey = "svc_pk_1") {
  const log = new RecordedLog();
  const clientLog = createClientLog(log, new ManualSchedule().run);
  const store = FileStore.open({ offlineStore, apiKey, now: () => NOON, log: clientLog });
  return { store, lines: log.lines };
}
function opened(path = folder, apiKey?: string) {
  const { store, lines } = open(path, apiKey);
  if (store === null) throw new Error("the store did not open");
  return { store, lines };
}

const idsOf = (events: readonly KeptEvent[] | undefined) => events?.map(({ eventId }) => eventId);
const mib = (count: number) => keptEvent(`big${count}`, "x".repeat(2 ** 20));

describe("opening", () => {
  test("creates the folder, for its owner only", async () => {
    opened(join(folder, "a/b"));
    expect((await stat(join(folder, "a/b"))).mode & 0o777).toBe(0o700);
  });

  test.each([undefined, false])("%s means no store, without an error", (option) => {
    expect(open(option ?? false)).toEqual({ store: null, lines: [] });
  });

  test("true is not a folder: one error, no store", () => {
    expect(open(true)).toEqual({
      store: null,
      lines: ["error [assay] offlineStore is not used: in Node it must be a folder"],
    });
  });

  test("a folder that cannot be made is one error, no store", async () => {
    await writeFile(join(folder, "file"), "");
    const { store, lines } = open(join(folder, "file/below"));
    expect([store, lines]).toEqual([null, ["error [assay] offlineStore is not used: ENOTDIR"]]);
  });
});

describe("a kept file", () => {
  test("has one line per event, is readable by its owner only, and leaves neither the key nor a temporary file", async () => {
    const { store } = opened();
    expect(await store.keep([keptEvent("a"), keptEvent("b")])).toBe(0);
    const [name, ...others] = await readdir(folder);
    expect(others).toEqual([]);
    expect(name).toMatch(/^spill-899b53880c51ecb0-\d+-\d+-\d+\.ndjson$/);
    expect((await stat(join(folder, name!))).mode & 0o777).toBe(0o600);
    const text = await readFile(join(folder, name!), "utf8");
    expect(text).toBe(`{"v":1,"event":${keptEvent("a").row}}\n{"v":1,"event":${keptEvent("b").row}}\n`);
    expect(name + text).not.toContain("svc_pk_1");
  });

  test("is not created for no events", async () => {
    const { store } = opened();
    expect([await store.keep([]), store.keepNow([]), await readdir(folder)]).toEqual([0, 0, []]);
  });

  test.each(["keep", "keepNow"] as const)("%s: at most ten MiB wait; the rest is counted", async (keep) => {
    const { store } = opened();
    expect(await store[keep](Array.from({ length: 6 }, (_, i) => mib(i)))).toBe(0);
    expect(await store[keep](Array.from({ length: 6 }, (_, i) => mib(10 + i)))).toBe(3);
    expect(await store[keep]([mib(20)])).toBe(1);
    const sizes = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(10 * 2 ** 20);
  });

  test("of another key does not count and is not sent", async () => {
    await opened(folder, "other").store.keep(Array.from({ length: 9 }, (_, i) => mib(i)));
    const { store } = opened();
    expect(await store.keep([mib(1), mib(2)])).toBe(0);
    expect((await store.takeReplay())?.events).toHaveLength(2);
    await store.close();
    expect((await readdir(folder)).length).toBe(2);
  });

  test.each(["keep", "keepNow"] as const)(
    "%s: a missing folder loses the events, with a warning",
    async (keep) => {
      const below = join(folder, "below");
      const { store, lines } = opened(below);
      await rm(below, { recursive: true });
      expect(await store[keep]([keptEvent("a")])).toBe(1);
      expect(lines).toEqual(["warn [assay] offlineStore fails, ENOENT: 1"]);
    },
  );
});

describe("a replay", () => {
  test("takes the oldest file first, one at a time", async () => {
    const { store } = opened();
    for (const id of ["a", "b"]) await store.keep([keptEvent(id)]);
    const first = await store.takeReplay();
    expect(idsOf(first?.events)).toEqual(["a"]);
    await first?.release();
    const second = await store.takeReplay();
    expect(idsOf(second?.events)).toEqual(["b"]);
    await second?.release();
    expect([await store.takeReplay(), await readdir(folder)]).toEqual([null, []]);
  });

  test("returns the event unchanged", async () => {
    const { store } = opened();
    await store.keep([keptEvent("é", "\u2028")]);
    expect((await store.takeReplay())?.events).toEqual([keptEvent("é", "\u2028")]);
    await store.close();
  });

  test("is hidden from other clients of the process until it is closed", async () => {
    const [a, b] = [opened().store, opened().store];
    await a.keep([keptEvent("a")]);
    expect(await a.takeReplay()).not.toBeNull();
    expect(await b.takeReplay()).toBeNull();
    await a.close();
    expect(idsOf((await b.takeReplay())?.events)).toEqual(["a"]);
    await b.close();
  });

  test("goes to one of many in a race", async () => {
    await opened().store.keep([keptEvent("a")]);
    const stores = Array.from({ length: 10 }, () => opened().store);
    const replays = await Promise.all(stores.map((store) => store.takeReplay()));
    expect(replays.filter((replay) => replay !== null)).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test("in progress is touched, so that no other process takes it over", async () => {
    const { store } = opened();
    await store.keep([keptEvent("a")]);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const replay = await store.takeReplay();
    const path = join(folder, (await readdir(folder))[0]!);
    await utimes(path, 1, 1);
    vi.advanceTimersByTime(240_000);
    await expect.poll(async () => (await stat(path)).mtimeMs).toBeGreaterThan(1_000);
    await replay?.release();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("at the end of the process is released, and only the other events are written", async () => {
    const { store } = opened();
    await store.keep([keptEvent("a")]);
    const replay = await store.takeReplay();
    expect(store.keepNow([...(replay?.events ?? []), keptEvent("b")])).toBe(0);
    const next = opened().store;
    expect(idsOf((await next.takeReplay())?.events)).toEqual(["a"]);
    await next.close();
    expect((await readdir(folder)).length).toBe(2);
  });
});
