import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createDatabase } from "../../contract-tests/empty-database.ts";
import { storedEvent, T0 } from "../../contract-tests/stored-event.ts";
import { eventStoreOn } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { firstBitsOf, idBits } from "../sql/id-bits.ts";
import { TimeOrderedIds, type TimeOrderedIdsLimits } from "./time-ordered-ids.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const YEAR = 365 * 24 * HOUR;

let server: Awaited<ReturnType<typeof temporaryClickHouse>>;
let empty: EngineClient;
/** How many ids the test has made. */
let made = 0;
beforeAll(async () => {
  server = await temporaryClickHouse();
  empty = await emptyEngine();
});
afterAll(async () => {
  await empty.close();
  await server.dispose();
});
// The same ids in every run: of filters that are full, one in some thousand takes another id for its own.
beforeEach(() => {
  made = 0;
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
});
afterEach(() => vi.useRealTimers());

async function emptyEngine(): Promise<EngineClient> {
  return engineClient(clientOf(server.clickhouse, { database: await createDatabase(server) }));
}

/** Makes the bits of a UUIDv7, which are the same in every run. */
function madeAt(at: number): Buffer {
  made += 1;
  const bits = createHash("sha256").update(String(made)).digest().subarray(0, 16);
  firstBitsOf(at).copy(bits, 0, 0, 6);
  bits[6] = 0x70 | (bits[6]! & 0xf);
  bits[8] = 0x80 | (bits[8]! & 0x3f);
  return bits;
}

const textOf = (bits: Buffer) =>
  bits.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

async function loaded(limits?: TimeOrderedIdsLimits, from = empty): Promise<TimeOrderedIds> {
  const ids = new TimeOrderedIds(limits);
  await ids.load(from);
  return ids;
}

test("before what is stored is loaded, no id is ruled out", async () => {
  const ids = new TimeOrderedIds();
  expect(ids.mayHold(madeAt(Date.now()))).toBe(true);
  await ids.load(empty);
  expect(ids.mayHold(madeAt(Date.now()))).toBe(false);
});

test.each([
  { made: "a millisecond before the start", after: -1, isRuledOut: false },
  { made: "at the start", after: 0, isRuledOut: true },
  { made: "by a clock that is ahead", after: HOUR, isRuledOut: true },
  { made: "in nine years", after: 9 * YEAR, isRuledOut: true },
  { made: "in eleven years", after: 11 * YEAR, isRuledOut: false },
])("an id that was made $made is ruled out: $isRuledOut", async ({ after, isRuledOut }) => {
  const ids = await loaded();
  const id = madeAt(Date.now() + after);
  expect(ids.mayHold(id)).toBe(!isRuledOut);
  ids.add(id);
  expect(ids.mayHold(id)).toBe(true);
});

test("no id that was added is ruled out, however clocks go and however few there is room for", async () => {
  const step = fc.record({
    madeAfter: fc.constantFrom(-HOUR, -1, 0, 1, 1, 2, 59 * SECOND, 61 * SECOND, HOUR, 11 * YEAR),
    clockAfter: fc.constantFrom(-HOUR, 0, 0, 0, 1, 90 * SECOND, HOUR),
  });
  let ruledOut = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 120 }), async (steps) => {
      const ids = await loaded({ least: 2, most: 4 });
      const added: Buffer[] = [];
      for (const { madeAfter, clockAfter } of steps) {
        const id = madeAt(Date.now() + madeAfter);
        ids.add(id);
        added.push(id);
        vi.setSystemTime(Date.now() + clockAfter);
        ruledOut += Number(!ids.mayHold(madeAt(Date.now())));
        for (const each of added) if (!ids.mayHold(each)) expect.fail(`rules out ${textOf(each)}`);
      }
    }),
    { numRuns: 100 },
  );
  expect(ruledOut).toBeGreaterThan(50);
});

test("new ids are ruled out however many came before, and also beside some from a clock that is ahead", async () => {
  const ids = await loaded({ least: 4, most: 16 });
  for (let i = 0; i < 1_000; i++) {
    const id = madeAt(Date.now());
    expect(ids.mayHold(id)).toBe(false);
    ids.add(id);
    if (i % 50 === 0) ids.add(madeAt(Date.now() + HOUR));
    vi.setSystemTime(Date.now() + SECOND);
  }
  expect(ids.mayHold(madeAt(Date.now() - HOUR))).toBe(true);
});

test("so many ids from a clock that is ahead that some are forgotten: nothing is ruled out until their time has come", async () => {
  const ids = await loaded({ least: 4, most: 16 });
  for (let i = 0; i < 1_000; i++) ids.add(madeAt(Date.now() + HOUR));
  expect(ids.mayHold(madeAt(Date.now()))).toBe(true);
  vi.setSystemTime(Date.now() + HOUR + 1);
  expect(ids.mayHold(madeAt(Date.now()))).toBe(false);
});

test("after many ids, the last six to eight million are known", async () => {
  const from = Date.now() - 12_000_000;
  vi.setSystemTime(from);
  const ids = await loaded();
  vi.setSystemTime(from + 12_000_000);
  const counted = madeAt(from);
  for (let i = 0; i < 12_000_000; i++) {
    counted.writeUIntBE(from + i, 0, 6);
    ids.add(counted);
  }
  const isKnown = (ago: number) => !ids.mayHold(madeAt(Date.now() - ago));
  expect([6_290_000, 8_390_000].map(isKnown)).toEqual([true, false]);
});

test("stored ids that clocks made that were ahead are loaded, unless there are too many", async () => {
  const engine = await emptyEngine();
  const start = Date.now();
  const ahead = [start, start + 1, start + HOUR, start + 9 * YEAR].map(madeAt);
  const received = [start - 1, start - 90 * 24 * HOUR];
  const events = [...ahead, madeAt(start - 1), madeAt(start - HOUR)].flatMap((bits, i) =>
    received.map((receivedAt, org) =>
      storedEvent({ orgId: `org ${org}`, eventId: textOf(bits), receivedAt, userId: `${i}` }),
    ),
  );
  await eventStoreOn(engine, null).append(events);
  // A random id within the same bits, and one that is not a UUID.
  const others = [textOf(madeAt(start + 1)).replace(/^(.{14})7/, "$14"), "order 17"];
  await eventStoreOn(engine, null).append(others.map((eventId) => storedEvent({ eventId })));
  const rows = ahead.length * received.length;
  const ids = await loaded({ mostLoaded: rows }, engine);
  expect(ahead.map((bits) => ids.mayHold(bits))).toEqual([true, true, true, true]);
  expect(ids.mayHold(madeAt(start + 1))).toBe(false);
  expect(others.some((id) => idBits(id).equals(ahead[1]!))).toBe(false);
  const tooFew = await loaded({ mostLoaded: rows - 1 }, engine);
  expect(tooFew.mayHold(madeAt(start + 1))).toBe(true);
  await engine.close();
});
