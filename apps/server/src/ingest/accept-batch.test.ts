import { DomainError, dayOf, monthOf, type Subject } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { OrgSnapshot, SnapshotExperiment } from "../config/snapshots.ts";
import { acceptBatch, type Sender, tryBatches } from "./accept-batch.ts";
import type { Spender } from "./allowance.ts";
import { countAccepted } from "./count-accepted.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const EXHAUSTED = new DomainError("allowance-exhausted", "All events of the month are used up.");
const UNKNOWN = "No experiment with this id or name exists in this organization.";

const SENDER: Sender = {
  orgId: "org",
  provenance: { source: "secret", keyPrefix: "svc_sk_12345", client: null },
};
const entry = (id: string) =>
  ({
    experiment: { id, createdAt: NOW, config: { flagKey: null } },
    timeline: { unit: "user", variants: new Set(["control", "treatment"]) },
  }) as unknown as SnapshotExperiment;
const row = (event_id: string, change: Readonly<Record<string, unknown>> = {}) => ({
  event_id,
  type: "exposure",
  experiment_id: "checkout",
  user_id: `user of ${event_id}`,
  timestamp: NOW,
  ...change,
});

interface World {
  readonly granted?: number;
  readonly isLoaded?: boolean;
  /** Experiments by reference, of one config after the other: another is in force once somebody looks for a newer one. */
  readonly configs?: readonly (readonly string[])[];
  readonly settled?: readonly string[];
  /** How many claims find that the config has changed. */
  readonly staleClaims?: number;
  readonly traceparent?: string;
}

/** What a batch meets on its way into the queue. */
function makeWorld(world: World = {}) {
  const { granted = Number.POSITIVE_INFINITY, isLoaded = true, settled = [], staleClaims = 0 } = world;
  const snapshots = (world.configs ?? [["checkout"]]).map((names, index) => ({
    orgId: "org",
    configVersion: index + 1,
    experiments: new Map(names.map((name) => [name, entry(`id of ${name}`)])),
  })) as unknown as readonly OrgSnapshot[];
  let config = 0;
  let stale = staleClaims;
  const seen = {
    loads: 0,
    spent: [] as number[],
    spenders: [] as Spender[],
    claims: [] as (readonly string[])[],
    queued: [] as { header: object; body: string }[],
    counts: {} as Record<string, number>,
  };
  const deps = {
    snapshots: {
      peek: () => (isLoaded ? snapshots[config] : undefined),
      get: async () => {
        seen.loads += 1;
        return snapshots[config];
      },
      findNewer: async () => {
        if (config + 1 >= snapshots.length) return null;
        config += 1;
        return snapshots[config];
      },
    },
    claims: {
      isSettled: (_entry: SnapshotExperiment, { userId }: Subject) => settled.includes(userId),
      claim: async ({ experiment }: SnapshotExperiment, userIds: readonly string[]) => {
        seen.claims.push([experiment.id, ...userIds]);
        stale -= 1;
        return stale < 0;
      },
    },
    clock: { now: () => NOW },
    queue: {
      append: async (header: object, body: Buffer) => {
        seen.queued.push({ header, body: body.toString() });
      },
    },
    metrics: {
      eventsAccepted: { inc: (count: number) => countUp("accepted", count) },
      eventsRejected: { inc: ({ reason }: { reason: string }, count: number) => countUp(reason, count) },
    },
    allowance: {
      spend: (
        spender: Spender,
        events: number,
        accept: (granted: number, exhausted: DomainError | null) => unknown,
      ) => {
        seen.spenders.push(spender);
        seen.spent.push(events);
        return accept(Math.min(events, granted), granted < events ? EXHAUSTED : null);
      },
    },
    tracing: { traceparent: () => world.traceparent },
  } as unknown as Parameters<typeof acceptBatch>[2];
  const countUp = (what: string, count: number) => {
    seen.counts[what] = (seen.counts[what] ?? 0) + count;
  };
  const sendAs = (sender: Sender, ...rows: readonly unknown[]) =>
    acceptBatch(sender, { rows, body: Buffer.from(JSON.stringify(rows)) }, deps);
  const send = (...rows: readonly unknown[]) => sendAs(SENDER, ...rows);
  return { seen, deps, send, sendAs };
}

describe("a batch", () => {
  test("is queued as it came, with what was decided about it", async () => {
    const { send, seen } = makeWorld({ traceparent: "00-1-2-01" });
    const rows = [row("e1"), row("e2", { user_id: "" }), row("e3", { experiment_id: "gone" }), 7];
    expect(await send(...rows)).toEqual({
      accepted: 1,
      refused: [
        { index: 1, event_id: "e2", detail: expect.stringMatching(/user_id/) },
        { index: 2, event_id: "e3", detail: UNKNOWN },
        { index: 3, event_id: null, detail: "The row must be an object." },
      ],
      reasons: { invalid: 2, unknown_experiment: 1, unknown_variant: 0, allowance: 0 },
      exhausted: null,
      configVersion: 1,
    });
    const header = {
      orgId: "org",
      receivedAt: NOW,
      configVersion: 1,
      rejected: [1, 2, 3],
      experiments: { checkout: "id of checkout" },
      traceparent: "00-1-2-01",
      provenance: SENDER.provenance,
    };
    expect(seen.queued).toEqual([{ header, body: JSON.stringify(rows) }]);
    expect(seen.counts).toEqual({
      accepted: 1,
      invalid: 2,
      unknown_experiment: 1,
      unknown_variant: 0,
      allowance: 0,
    });
    expect(seen.spent).toEqual([1]);
  });

  test("with bytes that are not UTF-8 loses the rows that have them", async () => {
    const { deps, seen } = makeWorld();
    const damaged = Buffer.from(JSON.stringify([row("e1"), row("e2", { user_id: "\u00e9" })]), "latin1");
    const send = (body: Buffer) => acceptBatch(SENDER, { rows: JSON.parse(body.toString()), body }, deps);
    const { accepted, refused } = await send(damaged);
    expect(accepted).toBe(1);
    expect(refused).toEqual([{ index: 1, event_id: "e2", detail: expect.stringContaining("not UTF-8") }]);
    expect(seen.queued).toMatchObject([{ header: { rejected: [1] } }]);
    // U+FFFD that was sent is a character like others.
    expect(await send(Buffer.from(JSON.stringify([row("e3", { user_id: "\ufffd" })])))).toMatchObject({
      accepted: 1,
    });
  });

  test("without a sound row is not queued", async () => {
    const { send, seen } = makeWorld();
    expect(await send(row("e1", { type: "other" }))).toMatchObject({ accepted: 0, configVersion: 1 });
    expect(seen.queued).toEqual([]);
  });

  test("reads the config once, and only where it is not loaded", async () => {
    for (const isLoaded of [true, false]) {
      const { send, seen } = makeWorld({ isLoaded });
      await send(row("e1"));
      expect(seen.loads).toBe(isLoaded ? 0 : 1);
    }
  });

  test("that names an unknown experiment is read by the newer config, if there is one", async () => {
    const { send, seen } = makeWorld({ configs: [["checkout"], ["checkout", "search"]] });
    expect(await send(row("e1", { experiment_id: "search" }))).toMatchObject({
      accepted: 1,
      configVersion: 2,
    });
    expect(seen.counts).toEqual({ accepted: 1 });
  });

  test("that names an unknown variant, beside an unknown experiment too, is read by the newer config", async () => {
    const unknown = row("e1", { variant: "new" });
    for (const others of [[], [row("e2", { experiment_id: "gone" })]]) {
      const { send } = makeWorld({ configs: [["checkout"], ["checkout"]] });
      expect(await send(unknown, ...others)).toMatchObject({
        accepted: 0,
        reasons: { unknown_variant: 1, unknown_experiment: others.length },
        configVersion: 2,
      });
    }
  });

  test("that names known experiments looks for no newer config", async () => {
    const { send } = makeWorld({ configs: [["checkout"], ["checkout", "search"]] });
    expect(await send(row("e1"))).toMatchObject({ accepted: 1, configVersion: 1 });
  });

  test.each([
    ["a text", "e".repeat(128), "e".repeat(128)],
    ["a longer text", "e".repeat(129), "e".repeat(128)],
    ["a number", 7, null],
  ])("with %s for the id of a refused row shows at most 128 characters", async (_name, event_id, shown) => {
    const { send } = makeWorld();
    const { refused } = await send(row("e", { event_id, user_id: "" }));
    expect(refused[0]?.event_id).toBe(shown);
  });
});

describe("past the month's allowance", () => {
  test("the first sound rows are kept, and the others say why not", async () => {
    const { send, seen } = makeWorld({ granted: 2 });
    const answer = await send(
      row("e1"),
      row("e2", { user_id: "" }),
      row("e3"),
      row("e4"),
      row("e5", { user_id: "" }),
    );
    expect(answer).toMatchObject({
      accepted: 2,
      reasons: { invalid: 2, unknown_experiment: 0, unknown_variant: 0, allowance: 1 },
      exhausted: EXHAUSTED,
    });
    expect(answer.refused.map(({ index }) => index)).toEqual([1, 3, 4]);
    expect(answer.refused[1]).toEqual({ index: 3, event_id: "e4", detail: EXHAUSTED.message });
    expect(seen.claims).toEqual([["id of checkout", "user of e1", "user of e3"]]);
  });

  test.each([
    ["publishable", true],
    ["secret", false],
    ["import", false],
    ["signed", false],
    ["test", false],
  ] as const)("what is sent as %s is spent as public: %s", async (source, isPublic) => {
    const { sendAs, seen } = makeWorld();
    await sendAs({ ...SENDER, provenance: { ...SENDER.provenance, source } }, row("e1"));
    expect(seen.spenders).toEqual([{ orgId: "org", isPublic }]);
  });

  test("nothing is kept once it is used up", async () => {
    const { send, seen } = makeWorld({ granted: 0 });
    expect(await send(row("e1"))).toMatchObject({ accepted: 0, exhausted: EXHAUSTED });
    expect(seen.queued).toEqual([]);
  });
});

describe("the buckets of users with events", () => {
  test("are claimed by experiment before the batch is queued, unless they are settled", async () => {
    const { send, seen } = makeWorld({ configs: [["checkout", "search"]], settled: ["settled"] });
    await send(
      row("e1", { user_id: "a" }),
      row("e2", { user_id: "b", experiment_id: "search" }),
      row("e3", { user_id: "c" }),
      row("e4", { user_id: "settled" }),
    );
    expect(seen.claims).toEqual([
      ["id of checkout", "a", "c"],
      ["id of search", "b"],
    ]);
  });

  test("decide again when the config has changed under a claim", async () => {
    const { send, seen } = makeWorld({ staleClaims: 1 });
    expect(await send(row("e1"))).toMatchObject({ accepted: 1 });
    expect(seen.claims.length).toBe(2);
    expect(seen.queued.length).toBe(1);
    expect(seen.counts.accepted).toBe(1);
  });
});

describe("a try", () => {
  test("says what would be accepted, batch after batch, and changes nothing", async () => {
    for (const isLoaded of [true, false]) {
      const { deps, seen } = makeWorld({ isLoaded });
      const attempt = tryBatches(SENDER, { events: 3, exhausted: EXHAUSTED }, deps);
      expect(await attempt([row("e1"), row("e2")])).toMatchObject({ accepted: 2, refused: [] });
      expect(await attempt([row("e3"), row("e4")])).toMatchObject({
        accepted: 1,
        refused: [{ index: 1, event_id: "e4", detail: EXHAUSTED.message }],
      });
      expect(await attempt([row("e5")])).toMatchObject({ accepted: 0 });
      expect(seen).toMatchObject({ claims: [], queued: [], spent: [], counts: {}, loads: isLoaded ? 0 : 3 });
    }
  });

  test("accepts U+FFFD that was sent", async () => {
    const { deps } = makeWorld();
    const attempt = tryBatches(SENDER, null, deps);
    expect(await attempt([row("e1", { user_id: "\ufffd" })])).toMatchObject({ accepted: 1, refused: [] });
  });

  test("has no bound where the plan has none", async () => {
    const { deps } = makeWorld();
    const rows = Array.from({ length: 1_000 }, (_, index) => row(`e${index}`));
    expect((await tryBatches(SENDER, null, deps)(rows)).accepted).toBe(1_000);
  });
});

test.each([true, false])(
  "accepted events are counted exactly when the queue has settled: %s",
  async (isDrained) => {
    const month = monthOf(NOW);
    const deps = {
      queue: { newestSequence: async () => 4, isDrainedTo: async () => isDrained },
      meter: { count: async (orgId: string, counted: string) => `${orgId} ${counted}`.length },
      events: {
        countPublicByDay: async (orgId: string, { from, until }: { from: number; until: number }) =>
          new Map([from, until - 1].map((at) => [dayOf(at), orgId.length])),
      },
    } as unknown as Parameters<typeof countAccepted>[1];
    const count = (isPublic: boolean) =>
      countAccepted({ spender: { orgId: "org", isPublic }, month, timeoutMs: 1 }, deps);
    expect(await count(false)).toEqual({ events: 11, isExact: isDrained });
    // On the first day of the month, and on the last.
    expect(await count(true)).toEqual({ events: 6, isExact: isDrained });
  },
);
