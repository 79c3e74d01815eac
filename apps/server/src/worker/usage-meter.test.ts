import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, type EventStore, monthOf, NO_VALUES, type StoredEvent } from "@assay/domain";
import { clickhouseEventStore, openSqliteControlPlane, startEmbeddedClickHouse } from "@assay/storage";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createUsageMeter } from "./usage-meter.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-meter-"));
const stops: (() => Promise<void>)[] = [];
let control: ControlPlane;
let events: EventStore;

beforeAll(async () => {
  control = openSqliteControlPlane({
    file: join(folder, "control.sqlite"),
    newId: () => crypto.randomUUID(),
  });
  await control.migrate();
  const engine = await startEmbeddedClickHouse({
    dataDir: join(folder, "events"),
    log: pino({ level: "silent" }),
  });
  events = clickhouseEventStore(engine);
  await events.migrate();
  stops.push(
    () => events.close(),
    () => engine.close(),
    () => control.close(),
  );
});
afterAll(async () => {
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true, force: true });
});

// The meter rests by it; the clock does not move by itself either.
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

async function newOrg(name: string): Promise<string> {
  const member = { externalUserId: name, externalOrgId: name };
  await control.people.putMembership({ ...member, order: 1, role: "owner", isRemoved: false }, 0);
  const access = await control.people.findAccess(member);
  if (access === null) throw new Error("The membership is not there.");
  return access.orgId;
}

function eventOf(orgId: string, eventId: string, receivedAt: number): StoredEvent {
  const ids = { orgId, experimentId: "x", eventId, userId: "u" };
  return { ...NO_VALUES, ...ids, type: "exposure", occurredAt: receivedAt, receivedAt };
}

test("counts every org on request, and then those with new events, each event once", async () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  const meter = createUsageMeter({ control, events, clock: { now: () => now } });
  const [a, b] = [await newOrg("a"), await newOrg("b")];
  const used = async (orgId: string) => (await control.usage.get(orgId, monthOf(now))).events;
  const first = [eventOf(a, "1", now), eventOf(a, "2", now), eventOf(b, "1", now)];
  await events.append(first);
  await events.append(first);
  meter.touchAll();
  await meter.run();
  expect([await used(a), await used(b)]).toEqual([2, 1]);

  await events.append([eventOf(a, "3", now), eventOf(b, "2", now)]);
  meter.touch(b);
  await meter.run();
  expect([await used(a), await used(b)]).toEqual([2, 2]);
});

test("counts the previous month too in the first week of a month", async () => {
  const late = Date.parse("2026-11-30T23:59:59Z");
  const orgId = await newOrg("c");
  await events.append([eventOf(orgId, "1", late), eventOf(orgId, "2", late + 2_000)]);
  const meter = createUsageMeter({ control, events, clock: { now: () => late + 3 * 86_400_000 } });
  meter.touch(orgId);
  await meter.run();
  expect(await control.usage.get(orgId, monthOf(late))).toMatchObject({ events: 1 });
  expect(await control.usage.get(orgId, monthOf(late + 2_000))).toMatchObject({ events: 1 });
});

test("counts for one who asks at once, and keeps the number", async () => {
  const now = Date.parse("2026-10-10T12:00:00Z");
  const orgId = await newOrg("d");
  const meter = createUsageMeter({ control, events, clock: { now: () => now } });
  await events.append([eventOf(orgId, "1", now), eventOf(orgId, "2", now)]);
  expect(await meter.count(orgId, monthOf(now))).toBe(2);
  expect(await control.usage.get(orgId, monthOf(now))).toMatchObject({ events: 2 });
});

describe("after a count that took long", () => {
  /** Its counts take half a second, in which the machine's clock moves by `clockMs`. */
  async function metered(name: string, clockMs: number) {
    const clock = { at: Date.parse("2026-09-10T12:00:00Z"), now: () => clock.at };
    const orgId = await newOrg(name);
    const counted = { count: 0 };
    const slow: Pick<EventStore, "countReceived"> = {
      async countReceived() {
        counted.count += 1;
        vi.advanceTimersByTime(500);
        clock.at += clockMs;
        return [counted.count];
      },
    };
    const meter = createUsageMeter({ control, events: slow, clock });
    const run = async () => {
      meter.touch(orgId);
      await meter.run();
      return counted.count;
    };
    return { clock, run };
  }

  test("rests, so that counting is a small share of the time", async () => {
    const { run } = await metered("e", 500);
    const first = await run();
    vi.advanceTimersByTime(5_000);
    expect(await run()).toBe(first);
    vi.advanceTimersByTime(10_000);
    expect(await run()).toBeGreaterThan(first);
  });

  test.each([
    { jump: "a day ahead", clockMs: 86_400_000 },
    { jump: "an hour back", clockMs: -3_600_000 },
  ])("rests no longer when the clock is set $jump meanwhile", async ({ jump, clockMs }) => {
    const { run } = await metered(jump, clockMs);
    const first = await run();
    vi.advanceTimersByTime(10_000);
    expect(await run()).toBeGreaterThan(first);
  });

  test("rests no longer when the clock is set back afterwards", async () => {
    const { clock, run } = await metered("f", 500);
    const first = await run();
    clock.at -= 3_600_000;
    vi.advanceTimersByTime(10_000);
    expect(await run()).toBeGreaterThan(first);
  });
});
