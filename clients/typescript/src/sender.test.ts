import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { ACK, EVENTS, idsOf, keptEvent, makeSender, refusal } from "../test-support/sender-fixture.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await ScriptedServer.start();
});
afterEach(() => server.stop());

describe("a batch", () => {
  test("carries the key, JSON, and the acknowledged config version", async () => {
    server.script(EVENTS, { status: 202, body: { accepted: 2, config_version: 9, rejected: [] } });
    const { sender, track, versions } = makeSender(server);
    track(2);
    expect(await sender.flush(10_000)).toBe(true);
    const [request] = server.requests;
    expect(request?.method).toBe("POST");
    expect(request?.headers).toMatchObject({ "x-api-key": "svc_pk_1", "content-type": "application/json" });
    expect(server.batches.map(idsOf)).toEqual([["e0", "e1"]]);
    expect(versions).toEqual([9]);
  });

  test("leaves 5 s after its first event, and so does the next one", async () => {
    server.script(EVENTS, ACK);
    const { schedule, track, queue } = makeSender(server);
    for (const count of [3, 2]) {
      track(count);
      expect(schedule.pending).toMatchObject([{ delayMs: 5_000, holdsProcess: false }]);
      await schedule.fire(5_000);
      await expect.poll(() => queue.size).toBe(0);
    }
    expect(server.batches.map((batch) => batch.length)).toEqual([3, 2]);
  });

  test("leaves with 100 events, the rest waits for its 5 s", async () => {
    server.script(EVENTS, ACK);
    const { track, queue, schedule } = makeSender(server);
    track(150);
    await server.received(EVENTS, 1);
    expect(server.batches[0]).toHaveLength(100);
    await expect.poll(() => queue.size).toBe(50);
    await schedule.fire(5_000);
    await server.received(EVENTS, 2);
    expect(server.batches[1]).toHaveLength(50);
  });

  test("leaves with 256 KiB", async () => {
    server.script(EVENTS, ACK);
    const { track } = makeSender(server);
    track(3, "x".repeat(100_000));
    await server.received(EVENTS, 1);
    expect(server.batches[0]).toHaveLength(2);
  });

  test("is not built inside track", () => {
    const { track, schedule } = makeSender(server);
    track(200);
    expect(schedule.delays).toEqual([5_000]); // A request would have a timeout.
  });
});

describe("retries", () => {
  test.each<{ name: string; reply: Reply; delayMs: number }>([
    { name: "a reset", reply: "reset", delayMs: 500 },
    { name: "408", reply: { status: 408 }, delayMs: 500 },
    { name: "500", reply: { status: 500 }, delayMs: 500 },
    {
      name: "503 after Retry-After",
      reply: { status: 503, headers: { "retry-after": "9" } },
      delayMs: 9_000,
    },
    { name: "a rate limit", reply: refusal(429, "rate-limited", { "retry-after": "2" }), delayMs: 2_000 },
    {
      name: "an absurd Retry-After",
      reply: { status: 500, headers: { "retry-after": "99999999" } },
      delayMs: 300_000,
    },
  ])("$name with the same event id", async ({ reply, delayMs }) => {
    server.script(EVENTS, reply, ACK);
    const { sender, schedule, track, lines } = makeSender(server);
    track();
    const flushed = sender.flush(60_000);
    await schedule.fire(delayMs);
    expect(await flushed).toBe(true);
    expect(server.batches.map(idsOf)).toEqual([["e0"], ["e0"]]);
    expect(lines).toEqual([]);
  });

  test("no answer within 10 s", async () => {
    server.script(EVENTS, "hang", ACK);
    const { sender, schedule, track } = makeSender(server);
    track();
    const flushed = sender.flush(60_000);
    await server.received(EVENTS, 1);
    await schedule.fire(10_000);
    await schedule.fire(500);
    expect(await flushed).toBe(true);
    expect(server.batches.map(idsOf)).toEqual([["e0"], ["e0"]]);
  });

  test("five times at most, then continues with the next batch", async () => {
    server.script(EVENTS, ...Array<Reply>(5).fill({ status: 500 }), ACK);
    const { sender, schedule, track, lines } = makeSender(server);
    track(101);
    const flushed = sender.flush(60_000);
    for (const delayMs of [500, 1_000, 2_000, 4_000]) await schedule.fire(delayMs);
    expect(await flushed).toBe(false);
    expect(server.batches.map((batch) => batch.length)).toEqual([100, 100, 100, 100, 100, 1]);
    expect(lines).toEqual(["warn [assay] event given up, status 500, 5 times: 100"]);
  });
});

describe("without a retry", () => {
  test.each([400, 404, 415, 422])("%i drops the batch", async (status) => {
    server.script(EVENTS, { status });
    const { sender, track, lines, queue } = makeSender(server);
    track(2);
    expect(await sender.flush(10_000)).toBe(false);
    expect(server.requests).toHaveLength(1);
    expect(queue.size).toBe(0);
    expect(lines).toEqual([`warn [assay] event given up, status ${status}: 2`]);
  });

  test("a redirect is not followed, so that the key stays with the service", async () => {
    const elsewhere = await ScriptedServer.start();
    server.script(EVENTS, { status: 307, headers: { location: `${elsewhere.url}${EVENTS}` } }, ACK);
    const { sender, schedule, track } = makeSender(server);
    track();
    const flushed = sender.flush(60_000);
    await schedule.fire(500);
    expect(await flushed).toBe(true);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  test("rejected rows are counted by reason and not sent again", async () => {
    const rejected = ["no such experiment", "no such experiment", "user_id is missing"];
    server.script(EVENTS, {
      status: 202,
      body: { accepted: 1, config_version: 1, rejected: rejected.map((detail) => ({ detail })) },
    });
    const { sender, track, lines } = makeSender(server);
    track(4);
    expect(await sender.flush(10_000)).toBe(true);
    expect(server.requests).toHaveLength(1);
    expect(lines).toEqual([
      "warn [assay] event rejected, no such experiment: 2",
      "warn [assay] event rejected, user_id is missing: 1",
    ]);
  });

  test("reports the refused events by reason, those after 100 reasons together", async () => {
    const rejected = Array.from({ length: 103 }, (_, index) => ({ index, detail: `reason ${index}` }));
    server.script(EVENTS, { status: 202, body: { accepted: 0, rejected } });
    const { sender, track } = makeSender(server);
    track();
    const report = await sender.flushReport(10_000);
    expect(report.delivered).toBe(true);
    expect(report.rejected).toHaveLength(101);
    expect(report.rejected.at(-1)).toEqual({ detail: "other reasons", count: 3 });
  });
});

describe("413", () => {
  test("halves the batch until it fits, in order", async () => {
    server.script(EVENTS, { status: 413 }, { status: 413 }, ACK);
    const { sender, track } = makeSender(server);
    track(8);
    expect(await sender.flush(10_000)).toBe(true);
    expect(server.batches.map((batch) => batch.length)).toEqual([8, 4, 2, 4, 2]);
    const accepted = server.batches.slice(2).flatMap(idsOf);
    expect(accepted).toEqual(["e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7"]);
  });

  test("drops a single event that does not fit", async () => {
    server.script(EVENTS, { status: 413 });
    const { sender, track, lines } = makeSender(server);
    track();
    expect(await sender.flush(10_000)).toBe(false);
    expect(lines).toEqual(["warn [assay] event given up, status 413: 1"]);
  });
});

describe("the queue", () => {
  test("holds at most 8 MiB", () => {
    const { sender, lines } = makeSender(server);
    const mebibyte = { ...keptEvent("e"), bytes: 2 ** 20 };
    for (let i = 0; i < 8; i++) expect(sender.add({ ...mebibyte })).toBe(true);
    expect(sender.add(keptEvent("one too many"))).toBe(false);
    expect(lines).toEqual(["warn [assay] event dropped, queue is full: 1"]);
  });

  test("makes the next flush false for an event that did not fit, and the one after it true", async () => {
    server.script(EVENTS, ACK);
    const { sender } = makeSender(server);
    for (let i = 0; i < 9; i++) sender.add({ ...keptEvent(`e${i}`), bytes: 2 ** 20 });
    expect(await sender.flush(10_000)).toBe(false);
    expect(await sender.flush(10_000)).toBe(true);
  });

  test("makes the next flush false for events that were given up before it, not only during it", async () => {
    server.script(EVENTS, { status: 413 }, ACK);
    const { sender, track, schedule, queue } = makeSender(server);
    track();
    await schedule.fire(5_000);
    await expect.poll(() => queue.size).toBe(0);
    track();
    expect(await sender.flush(10_000)).toBe(false);
    expect(await sender.flush(10_000)).toBe(true);
  });

  test("has room again once events are settled", async () => {
    server.script(EVENTS, ACK);
    const { sender } = makeSender(server);
    for (let i = 0; i < 8; i++) sender.add({ ...keptEvent(`e${i}`), bytes: 2 ** 20 });
    await sender.flush(10_000);
    expect(sender.add(keptEvent("next"))).toBe(true);
  });

  test("leaves at 256 KiB, however few events that is", async () => {
    server.script(EVENTS, ACK);
    const { sender } = makeSender(server);
    sender.add({ ...keptEvent("e"), bytes: 2 ** 18 });
    await server.received(EVENTS, 1);
  });
});
