import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { ManualSchedule } from "../test-support/manual-schedule.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { ACK, EVENTS, idsOf, keptEvent, makeSender } from "../test-support/sender-fixture.ts";
import { createClientLog } from "./client-log.ts";
import { FileStore } from "./offline/file-store.ts";

let server: ScriptedServer;
let folder: string;
let store: FileStore;
beforeEach(async () => {
  server = await ScriptedServer.start();
  folder = await mkdtemp(join(tmpdir(), "assay-sender-"));
  const log = createClientLog(new RecordedLog(), new ManualSchedule().run);
  const now = () => keptEvent("any").occurredAt;
  store = FileStore.open({ offlineStore: folder, apiKey: "svc_pk_1", now, log })!;
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const FIVE_FAILURES = Array<Reply>(5).fill({ status: 500 });
const BACKOFFS = [500, 1_000, 2_000, 4_000];
const waiting = () => readdir(folder);

describe("an undeliverable batch", () => {
  test("is kept after five attempts, and flush is false", async () => {
    server.script(EVENTS, ...FIVE_FAILURES, "hang");
    const { sender, schedule, track, lines } = makeSender(server, { store });
    track(2);
    const flushed = sender.flush(60_000);
    for (const delayMs of BACKOFFS) await schedule.fire(delayMs);
    expect(await flushed).toBe(false);
    expect(await waiting()).toHaveLength(1);
    expect(sender.unsent).toEqual([]);
    expect(lines).toEqual(["warn [assay] event kept for later, status 500, 5 times: 2"]);
  });

  test("comes back after the next delivery, alternating with new events", async () => {
    server.script(EVENTS, ...FIVE_FAILURES, ACK);
    const { sender, schedule, track } = makeSender(server, { store });
    track(2);
    const flushed = sender.flush(60_000);
    for (const delayMs of BACKOFFS) await schedule.fire(delayMs);
    await flushed;
    track();
    expect(await sender.flush(60_000)).toBe(true);
    await server.received(EVENTS, 7);
    expect(server.batches.slice(5).map(idsOf)).toEqual([["e2"], ["e0", "e1"]]);
    await expect.poll(waiting).toEqual([]);
  });

  test("is not read before the service is known to answer", async () => {
    await store.keep([keptEvent("old")]);
    server.script(EVENTS, ACK);
    const { sender, schedule } = makeSender(server, { store });
    expect([server.requests.length, schedule.pending.length]).toEqual([0, 0]);
    sender.noteReachable();
    await server.received(EVENTS, 1);
    expect(server.batches.map(idsOf)).toEqual([["old"]]);
    await expect.poll(waiting).toEqual([]);
  });

  test("leaves no file behind when the service is found to answer again while a file is read", async () => {
    await store.keep([keptEvent("first")]);
    await store.keep([keptEvent("second")]);
    server.script(EVENTS, ACK);
    const { sender } = makeSender(server, { store });
    sender.noteReachable();
    sender.noteReachable();
    await server.received(EVENTS, 2);
    expect(server.batches.map(idsOf)).toEqual([["first"], ["second"]]);
    await expect.poll(waiting).toEqual([]);
  });

  test("goes to the store when the client closes in the middle of a request", async () => {
    server.script(EVENTS, "hang");
    const { sender, track, stop, lines } = makeSender(server, { store });
    track(3);
    void sender.flush(60_000);
    await server.received(EVENTS, 1);
    await stop();
    expect(await waiting()).toHaveLength(1);
    expect(lines).toEqual(["warn [assay] event kept for later, client closed: 3"]);
  });
});

describe("a replay of many events", () => {
  test("goes out in batches, and new events do not wait for all of the next one", async () => {
    for (let file = 0; file < 3; file++) {
      await store.keep(Array.from({ length: 250 }, (_, i) => keptEvent(`old${file}-${i}`)));
    }
    server.script(EVENTS, "hang", ACK);
    const { sender, schedule, track } = makeSender(server, { store });
    sender.noteReachable();
    await server.received(EVENTS, 1);
    track(2);
    const flushed = sender.flush(70_000);
    await schedule.fire(10_000);
    await schedule.fire(500);
    expect(await flushed).toBe(true);
    const before = server.batches.flatMap(idsOf).indexOf("e1");
    expect(before).toBeLessThan(400);
    await expect.poll(waiting).toEqual([]);
    expect(new Set(server.batches.flatMap(idsOf)).size).toBe(752);
  });

  test("does not wait for ever behind new events", async () => {
    await store.keep([keptEvent("old")]);
    server.script(EVENTS, ACK);
    const { sender, track } = makeSender(server, { store });
    track(5_000);
    const isQueued = () => sender.unsent.some(({ eventId }) => eventId === "old");
    await expect.poll(isQueued, { interval: 1 }).toBe(true);
    track(4_000);
    await sender.flush(60_000);
    const order = server.batches.flatMap(idsOf);
    expect(order.indexOf("old")).toBeLessThan(order.indexOf("e8999"));
  });
});

describe("a full queue", () => {
  test("moves its older half to the store at once, and takes new events", async () => {
    server.script(EVENTS, "hang");
    const { sender, track, lines } = makeSender(server, { store });
    track(10_005);
    expect(sender.unsent).toHaveLength(10_005);
    await expect.poll(() => sender.unsent.length).toBe(5_005);
    expect(await waiting()).toHaveLength(1);
    expect(lines).toEqual(["warn [assay] event kept for later, queue is full: 5000"]);
    expect(sender.unsent.map(({ eventId }) => eventId)[0]).toBe("e5000");
  });

  test("stays bounded while the disk is slower than the caller", async () => {
    server.script(EVENTS, "hang");
    const { sender, track, lines } = makeSender(server, { store });
    track(30_000);
    expect(sender.unsent).toHaveLength(15_000);
    expect(lines).toEqual(["warn [assay] event dropped, queue is full: 1"]);
    await expect.poll(waiting).toHaveLength(1);
    await expect.poll(() => sender.unsent.length).toBe(10_000);
  });

  test("makes flush false, since the service did not answer for what was moved", async () => {
    server.script(EVENTS, ACK);
    const { sender, track } = makeSender(server, { store });
    track(9_999);
    const flushed = sender.flush(60_000);
    track(10);
    expect(await flushed).toBe(false);
  });
});
