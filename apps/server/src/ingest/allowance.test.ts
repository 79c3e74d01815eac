import { type DomainError, monthOf, PLAN_LIMITS, type Plan } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { documented } from "../../../../tests/documented.ts";
import { createAllowance, type Spender } from "./allowance.ts";

const FREE = PLAN_LIMITS.free.monthlyEventAllowance ?? 0;
const NOW = Date.parse("2026-11-21T12:00:00Z");

const TRUSTED: Spender = { orgId: "org", isPublic: false };
const PUBLIC: Spender = { orgId: "org", isPublic: true };
/** What publishable keys may send, and what is left to the others then. */
const SHARE = FREE * 0.8;
const REST = FREE - SHARE;

interface Sent {
  readonly granted: number;
  readonly exhausted: DomainError | null;
}

/** A month's store of event ids, as the queue and the event store behave together. */
function world({ plan = "free" as Plan, isEnforced = true, stored = 0, publicShare = 0.8 } = {}) {
  const ids = new Set<string>(Array.from({ length: stored }, (_, index) => `old-${index}`));
  const publicIds = new Set<string>();
  const state = { now: NOW, plan, counts: 0, ids, publicIds, isPublicCountSlow: false };
  const allowance = createAllowance({
    isShared: false,
    plans: { isEnforced, inForce: () => state.plan },
    publicShare,
    clock: { now: () => state.now },
    countNow: async ({ isPublic }) => {
      state.counts += 1;
      await Promise.resolve();
      if (!isPublic) return { events: ids.size + publicIds.size, isExact: true };
      if (state.isPublicCountSlow) await new Promise(() => {});
      return { events: publicIds.size, isExact: true };
    },
  });
  let next = 0;
  /** Accepts rows that are new, or the ids given. */
  const sendAs = (spender: Spender, rows: number, given?: readonly string[]) => {
    const batch = given ?? Array.from({ length: rows }, () => `new-${next++}`);
    return allowance.spend<Sent>(spender, batch.length, async (granted, exhausted) => {
      await new Promise((resolve) => setImmediate(resolve));
      for (const id of batch.slice(0, granted)) (spender.isPublic ? publicIds : ids).add(id);
      return { granted, exhausted };
    });
  };
  const send = (rows: number, given?: readonly string[]) => sendAs(TRUSTED, rows, given);
  const sendPublic = (rows: number, given?: readonly string[]) => sendAs(PUBLIC, rows, given);
  return { state, allowance, send, sendPublic };
}

describe("where plans are enforced", () => {
  test("takes rows up to what is left, in order, and then none", async () => {
    const { send, state } = world({ stored: FREE - 1_500 });
    expect(await send(1_000)).toMatchObject({ granted: 1_000, exhausted: null });
    expect(await send(1_000)).toMatchObject({ granted: 500 });
    const last = await send(1_000);
    expect(last?.granted).toBe(0);
    expect(state.ids.size).toBe(FREE);
  });

  test("says when the counter resets, and how long that is", async () => {
    const { send } = world({ stored: FREE });
    const answer = await send(1);
    const { kind, message, retryAfterSeconds, limit } = (answer as { exhausted: DomainError }).exhausted;
    expect(kind).toBe("allowance-exhausted");
    expect(message).toContain("50,000");
    expect(message).toContain("2026-12-01T00:00:00.000Z");
    expect(retryAfterSeconds).toBe(3_600);
    const resetSeconds = (Date.parse("2026-12-01T00:00:00Z") - NOW) / 1000;
    const policy = { policy: "events-per-month", quota: FREE, windowSeconds: 30 * 86_400 };
    expect(limit).toEqual({ ...policy, resetSeconds });
  });

  test("at the end of the month, asks clients to retry when it is over", async () => {
    const { send, state } = world({ stored: FREE });
    state.now = Date.parse("2026-11-30T23:50:00Z");
    expect((await send(1))?.exhausted).toMatchObject({
      retryAfterSeconds: 600,
      limit: { resetSeconds: 600 },
    });
  });

  test("counts only when the rows that may be new could pass the limit", async () => {
    const { send, state } = world({ stored: 10 });
    await send(1);
    expect(state.counts).toBe(1);
    for (let batch = 0; batch < 40; batch++) await send(1_000);
    expect(state.counts).toBe(1);
    expect(state.ids.size).toBe(40_011);
  });

  test("repeats do not use anything up", async () => {
    const { send, state } = world();
    const batch = Array.from({ length: 1_000 }, (_, index) => `same-${index}`);
    for (let round = 0; round < 120; round++)
      expect(await send(1_000, batch)).toMatchObject({ granted: 1_000 });
    expect(state.ids.size).toBe(1_000);
  });

  test("a full month is not counted again and again", async () => {
    const { send, state } = world({ stored: FREE });
    await send(1);
    const { counts } = state;
    for (let round = 0; round < 50; round++) expect((await send(10))?.granted).toBe(0);
    expect(state.counts).toBe(counts);
  });

  test("a storm of parallel batches with repeats ends on the exact number", async () => {
    const { send, state } = world({ stored: FREE - 5_000 });
    const batches = Array.from({ length: 60 }, (_, n) =>
      Array.from({ length: 200 }, (_, index) => `storm-${Math.floor(n / 2)}-${index}`),
    );
    const answers = await Promise.all(batches.map((batch) => send(0, batch)));
    // The rest is sent again until the month is full: what was refused was not stored.
    for (const batch of batches) answers.push(await send(0, batch));
    expect(state.ids.size).toBe(FREE);
    expect(answers.some((answer) => answer?.granted === 0)).toBe(true);
  });

  test("what was not accepted is not spent: a failure, or a change of config under way", async () => {
    const { allowance, state } = world({ stored: FREE - 10 });
    const fail = () => Promise.reject(new Error("the disk is full"));
    for (let round = 0; round < 5; round++)
      await expect(allowance.spend(TRUSTED, 10, fail)).rejects.toThrow("the disk is full");
    expect(await allowance.spend(TRUSTED, 10, async () => null)).toBeNull();
    expect(await allowance.spend(TRUSTED, 10, async (granted) => granted)).toBe(10);
    expect(state.counts).toBe(1);
  });

  test("a new month starts from its own count", async () => {
    const { send, state } = world({ stored: FREE });
    expect((await send(1))?.granted).toBe(0);
    state.now = Date.parse("2026-12-01T00:00:00Z");
    state.ids.clear();
    expect((await send(1))?.granted).toBe(1);
  });

  test("a larger plan takes more at once", async () => {
    const { send, state } = world({ stored: FREE });
    expect((await send(1))?.granted).toBe(0);
    state.plan = "pro";
    expect((await send(1_000))?.granted).toBe(1_000);
    state.plan = "free";
    expect((await send(1))?.granted).toBe(0);
  });

  test("a smaller plan counts what was accepted while a larger one had no bound", async () => {
    const { send, state } = world({ stored: 10 });
    await send(1);
    state.plan = "pro";
    for (let batch = 0; batch < 60; batch++) expect((await send(1_000))?.granted).toBe(1_000);
    state.plan = "free";
    expect((await send(1))?.granted).toBe(0);
  });

  test("a plan that bills overage takes everything, and so does one without a bound", async () => {
    for (const plan of ["pro", "business", "enterprise"] as const) {
      const { send, state, allowance } = world({ plan, stored: 1_000_000 });
      expect(await send(1_000)).toMatchObject({ granted: 1_000, exhausted: null });
      expect(await allowance.left("org")).toBeNull();
      expect(state.counts).toBe(0);
    }
  });

  test("tells what is left", async () => {
    const { allowance } = world({ stored: FREE - 7 });
    const left = await allowance.left("org");
    expect(left?.events).toBe(7);
    expect(left?.exhausted.kind).toBe("allowance-exhausted");
    expect((await world({ stored: FREE + 5 }).allowance.left("org"))?.events).toBe(0);
  });

  describe("while the event store is behind or down", () => {
    /** Counts `stored`, exactly or not; null: the store is down. */
    function behind(stored: number | null) {
      const state = { stored, isExact: false };
      const allowance = createAllowance({
        isShared: false,
        plans: { isEnforced: true, inForce: () => "free" },
        publicShare: 0.8,
        clock: { now: () => NOW },
        countNow: async (_spender, month) => {
          expect(month).toBe(monthOf(NOW));
          if (state.stored === null) throw new Error("down");
          return { events: state.stored, isExact: state.isExact };
        },
      });
      return { state, send: (rows: number) => allowance.spend(TRUSTED, rows, async (granted) => granted) };
    }

    test.each([
      { name: "behind", stored: 1_000 },
      { name: "down", stored: null },
    ])("an org of which nothing is known sends on when it is $name", async ({ stored }) => {
      expect(await behind(stored).send(1_000)).toBe(1_000);
    });

    test("an org of which nothing is known may send a whole month, and what would be more has to wait", async () => {
      expect(await behind(null).send(FREE)).toBe(FREE);
      await expect(behind(null).send(FREE + 1)).rejects.toMatchObject({
        kind: "storage-unavailable",
        retryAfterSeconds: 5,
      });
    });

    test.each([
      { name: "an inexact count", stored: FREE - 500, expected: { kind: "storage-unavailable" } },
      { name: "no count at all", stored: null, expected: { message: "down" } },
    ])("one near its limit is told to come back: $name does not tell", async ({ stored, expected }) => {
      const { state, send } = behind(FREE - 900);
      expect(await send(600)).toBe(600);
      state.stored = stored;
      await expect(send(600)).rejects.toMatchObject(expected);
      [state.stored, state.isExact] = [FREE - 700, true];
      expect(await send(600)).toBe(600);
    });

    test("one whose stored events fill the month is refused", async () => {
      expect(await behind(FREE).send(1)).toBe(0);
    });
  });
});

describe("what publishable keys send", () => {
  test("ends at their share of the month, in order, and leaves the rest to the others", async () => {
    const { sendPublic, send, state } = world();
    for (let batch = 0; batch < 39; batch++)
      expect(await sendPublic(1_000)).toEqual({ granted: 1_000, exhausted: null });
    await sendPublic(500);
    expect((await sendPublic(1_000))?.granted).toBe(500);
    const refused = await sendPublic(1);
    expect([refused?.granted, state.publicIds.size]).toEqual([0, SHARE]);
    expect(refused?.exhausted).toMatchObject({
      kind: "allowance-exhausted",
      message: expect.stringMatching(
        /^The 40,000 events that publishable keys may send in 2026-11 are used up/,
      ),
      retryAfterSeconds: 3_600,
      limit: { policy: "publishable-events-per-month", quota: SHARE, windowSeconds: 30 * 86_400 },
    });
    for (let sent = 0; sent < REST; sent += 1_000)
      expect(await send(1_000)).toEqual({ granted: 1_000, exhausted: null });
    expect((await send(1))?.exhausted?.message).toMatch(/^The 50,000 events that the plan allows/);
  });

  test("counts toward the month, of which the others may use all", async () => {
    const { sendPublic, send } = world({ stored: FREE - 1_500 });
    expect(await sendPublic(1_000)).toEqual({ granted: 1_000, exhausted: null });
    const last = await sendPublic(1_000);
    expect(last?.granted).toBe(500);
    expect(last?.exhausted?.message).toMatch(/^The 50,000 events that the plan allows/);
    expect((await send(1))?.granted).toBe(0);
  });

  test("a storm of repeats uses nothing up and holds nobody up", async () => {
    const { sendPublic, send, state } = world();
    const batch = Array.from({ length: 1_000 }, (_, index) => `same-${index}`);
    const storm = Array.from({ length: 120 }, () => sendPublic(0, batch));
    expect(await send(1_000)).toMatchObject({ granted: 1_000 });
    expect(new Set((await Promise.all(storm)).map((sent) => sent?.granted))).toEqual(new Set([1_000]));
    expect(state.publicIds.size).toBe(1_000);
  });

  test("that is being counted near its share keeps nobody else waiting", async () => {
    const { sendPublic, send, state } = world();
    for (let batch = 0; batch < 40; batch++) await sendPublic(1_000);
    state.isPublicCountSlow = true;
    const waiting = sendPublic(1);
    expect(await send(1_000)).toMatchObject({ granted: 1_000 });
    expect(await Promise.race([waiting, "still counted"])).toBe("still counted");
  });

  test.each([
    // The share is counted at the start and at its end; the month is counted only for what the share takes.
    { publicShare: 0, granted: 0, counts: 1 },
    { publicShare: 0.5, granted: FREE / 2, counts: 3 },
    { publicShare: 1, granted: FREE, counts: 2 },
  ])("may be $publicShare of the month: $granted", async ({ publicShare, granted, counts }) => {
    const { sendPublic, state } = world({ publicShare });
    for (let batch = 0; batch < 51; batch++) await sendPublic(1_000);
    expect(state.publicIds.size).toBe(granted);
    expect(state.counts).toBe(counts);
  });

  test("has no share of its own where the plan bills overage or has no bound", async () => {
    for (const plan of ["pro", "business", "enterprise"] as const) {
      const { sendPublic, state } = world({ plan, stored: 1_000_000, publicShare: 0 });
      expect(await sendPublic(1_000)).toEqual({ granted: 1_000, exhausted: null });
      expect(state.counts).toBe(0);
    }
  });
});

test("where plans are not enforced, everything is taken and nothing counted", async () => {
  const { send, state, allowance } = world({ isEnforced: false, stored: 1_000_000 });
  expect(await send(1_000)).toMatchObject({ granted: 1_000, exhausted: null });
  expect(await allowance.left("org")).toBeNull();
  expect(state.counts).toBe(0);
});

describe("where several processes accept events of an org", () => {
  const PROCESSES = 4;

  /** Processes over one store of ids; `isDown` makes its counts fail. */
  function processes() {
    const state = { stored: 0, counts: 0, isDown: false };
    const allowances = Array.from({ length: PROCESSES }, () =>
      createAllowance({
        isShared: true,
        plans: { isEnforced: true, inForce: () => "free" },
        publicShare: 0.8,
        clock: { now: () => NOW },
        countNow: async () => {
          state.counts += 1;
          if (state.isDown) throw new Error("down");
          return { events: state.stored, isExact: true };
        },
      }),
    );
    const send = (process: number, rows: number) =>
      allowances[process]!.spend(TRUSTED, rows, async (granted) => {
        state.stored += granted;
        return granted;
      });
    return { state, send };
  }

  test("each further one adds a twentieth of the allowance at most, and the counts stay few", async () => {
    const { state, send } = processes();
    // The worst order: each counts while nothing is stored, and then all go on.
    for (let process = 0; process < PROCESSES; process++) await send(process, 1);
    for (let round = 0; round < 200; round++)
      for (let process = 0; process < PROCESSES; process++) await send(process, 500);
    expect(state.stored).toBeGreaterThanOrEqual(FREE);
    expect(state.stored).toBeLessThanOrEqual(FREE * (1 + (PROCESSES - 1) / 20));
    expect(state.counts).toBeLessThan(300);
  });

  test("one counts again after granting the documented share of what the last count found left", async () => {
    const percent = documented("processes.md", /N processes exceed it by \(N − 1\) × (\d+)% at most/);
    const { state, send } = processes();
    await send(0, 1);
    const share = (FREE * percent) / 100;
    // After the first count, the process may grant this many rows; it has granted one.
    for (let rows = 1; rows < share; rows += 1) await send(0, 1);
    expect(state.counts).toBe(1);
    await send(0, 1);
    expect(state.counts).toBe(2);
  });

  test("near the end one counts again after 1,000 rows", async () => {
    const { state, send } = processes();
    state.stored = FREE - 10_000;
    await send(0, 1);
    await send(0, 999);
    expect(state.counts).toBe(1);
    await send(0, 1);
    expect(state.counts).toBe(2);
  });

  test("what surely fits is taken while the others cannot be asked for", async () => {
    const { state, send } = processes();
    await send(0, 1);
    state.isDown = true;
    for (let batch = 0; batch < 40; batch++) expect(await send(0, 1_000)).toBe(1_000);
    await expect(send(0, 10_000)).rejects.toThrow("down");
  });
});
