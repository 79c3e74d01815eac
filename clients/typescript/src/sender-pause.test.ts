import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { ACK, EVENTS, idsOf, makeSender, refusal } from "../test-support/sender-fixture.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await ScriptedServer.start();
});
afterEach(() => server.stop());

describe("a pause", () => {
  test.each([401, 403])(
    "of 5 minutes follows %i; the batch is kept and the error logged once",
    async (status) => {
      server.script(EVENTS, { status }, { status }, ACK);
      const { sender, schedule, track, lines, queue } = makeSender(server);
      track();
      expect(await sender.flush(10_000)).toBe(false);
      expect(await sender.flush(10_000)).toBe(false);
      track(200);
      await schedule.fire(300_000);
      await schedule.fire(300_000);
      await expect.poll(() => queue.size).toBe(0);
      expect(server.batches.map((batch) => batch.length)).toEqual([1, 100, 100, 100, 1]);
      expect(idsOf(server.batches[1]!)[0]).toBe("e0");
      expect(lines).toEqual([`error [assay] API key refused: status ${status}`]);
    },
  );

  test("until Retry-After follows a used-up allowance; the batch is dropped", async () => {
    server.script(EVENTS, refusal(429, "allowance-exhausted", { "retry-after": "3600" }), ACK);
    const { sender, schedule, track, lines, queue } = makeSender(server);
    track(2);
    expect(await sender.flush(10_000)).toBe(false);
    track();
    await schedule.fire(3_600_000);
    await expect.poll(() => queue.size).toBe(0);
    expect(server.batches.map(idsOf)).toEqual([["e0", "e1"], ["e2"]]);
    expect(lines).toEqual(["warn [assay] event given up, status 429 allowance-exhausted: 2"]);
  });
});

describe("flush", () => {
  test("of nothing resolves at once", async () => {
    expect(await makeSender(server).sender.flush(10_000)).toBe(true);
    expect(server.requests).toEqual([]);
  });

  test("waits for a batch that is being sent, but not for later events", async () => {
    server.script(EVENTS, "hang", ACK);
    const { sender, schedule, track } = makeSender(server);
    track(100);
    await server.received(EVENTS, 1);
    const flushed = sender.flush(60_000);
    track(5);
    await schedule.fire(10_000);
    await schedule.fire(500);
    expect(await flushed).toBe(true);
    expect(server.batches.map((batch) => batch.length)).toEqual([100, 100]);
  });

  test("is false at its deadline, keeps the process alive until then, and continues sending", async () => {
    server.script(EVENTS, "hang", ACK);
    const { sender, schedule, track, queue } = makeSender(server);
    track();
    const flushed = sender.flush(7_000);
    const deadline = await schedule.task((delayMs) => delayMs === 7_000);
    expect(deadline.holdsProcess).toBe(true);
    deadline.fire();
    expect(await flushed).toBe(false);
    await server.received(EVENTS, 1);
    await schedule.fire(10_000);
    await schedule.fire(500);
    await expect.poll(() => queue.size).toBe(0);
  });

  test("leaves no timer behind", async () => {
    server.script(EVENTS, ACK);
    const { sender, schedule, track } = makeSender(server);
    track();
    await sender.flush(10_000);
    expect(schedule.delays).toEqual([5_000]);
  });
});

describe("stop", () => {
  test("ends a retry, counts the events given up and resolves waiting flushes", async () => {
    server.script(EVENTS, { status: 500 });
    const { sender, schedule, track, lines, queue, stop } = makeSender(server);
    track(3);
    const flushed = sender.flush(60_000);
    await schedule.task((delayMs) => delayMs === 500);
    await stop();
    expect(await flushed).toBe(false);
    expect(queue.size).toBe(0);
    expect(lines).toEqual(["warn [assay] event given up, client closed: 3"]);
    expect(schedule.delays).toEqual([60_000]); // The minute of that warning.
  });

  test("aborts a request", async () => {
    server.script(EVENTS, "hang");
    const { sender, track, schedule, stop } = makeSender(server);
    track();
    void sender.flush(70_000);
    await server.received(EVENTS, 1);
    await stop();
    await expect.poll(() => schedule.delays).toEqual([60_000]);
    expect(server.requests).toHaveLength(1);
  });
});
