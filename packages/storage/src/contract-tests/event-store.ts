import { randomUUID } from "node:crypto";
import {
  DAY_MS,
  dayOf,
  type EventSource,
  type EventStore,
  monthOf,
  type StoredEvent,
  startOfDay,
  type UsageMonth,
} from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnalysisLimits } from "../events/analysis/plans.ts";
import { describeAgentRuns } from "./agent-runs.ts";
import { describeArmAnalysis } from "./arm-analysis.ts";
import { describeArmAttribution } from "./arm-attribution.ts";
import { describeArmSamples } from "./arm-samples.ts";
import { describeBaseline } from "./baseline.ts";
import { describeCallCosts } from "./call-costs.ts";
import { describeComparedCalls } from "./compared-calls.ts";
import { describeExclusions } from "./exclusions.ts";
import { describeFirstExposures } from "./first-exposures.ts";
import { describeFoldedDays } from "./folded-days.ts";
import { describeGuardSums } from "./guard-sums.ts";
import { describeHealth } from "./health.ts";
import { HOSTILE } from "./hostile.ts";
import { describeJudgeable } from "./judgeable.ts";
import { describeJudgedUnits } from "./judged-units.ts";
import { describeLoggedTraces } from "./logged-traces.ts";
import { describePromptedCalls } from "./prompted-calls.ts";
import { describeProvenance } from "./provenance.ts";
import { describeRawEvents } from "./raw-events.ts";
import { describeSampling } from "./sampling.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";
import { describeUnitHistory } from "./unit-history.ts";
import { describeUnits } from "./units.ts";
import { describeRemoval, describeUnmetered } from "./unmetered.ts";
import { describeUserEvents } from "./user-events.ts";

const MONTH = monthOf(T0);

/**
 * Tests the rules of `EventStore`, for every engine. `open` returns a migrated store. The suite opens it twice: with its defaults, and so
 * that it folds the days of every org, however few events the org has. Each test has its own org. Query results depend on the tables and
 * the engine's version. If another run of the contract has the same ones, `"transport"` tests only what crosses the wire. If another run
 * also reaches its tables over the same wire, `"writes"` tests only that appends and removals find the tables. `share` is the share that
 * is tested of the random cases and of the tables of rules about one user.
 */
export function eventStoreContract(
  name: string,
  open: (limits?: AnalysisLimits) => Promise<EventStore>,
  { scope = "all", share = 1 }: { scope?: "all" | "transport" | "writes"; share?: number } = {},
): void {
  describe(`${name} as event store`, () => {
    let [store, folding]: EventStore[] = [];
    beforeAll(async () => {
      store = await open();
      folding = await open({ eventsForCells: 0 });
    });
    afterAll(() => Promise.all([store?.close(), folding?.close()]));

    const storeOf = () => store!;
    describeAppend(storeOf);
    describeTraffic(storeOf);
    describeRemoval(storeOf);
    if (scope !== "writes") describeTransport(storeOf, share);
    if (scope === "all") describeQueries(storeOf, { foldingOf: () => folding!, share });

    test("migrates again without harm, and answers a ping", async () => {
      const orgId = randomUUID();
      await storeOf().append([storedEvent({ orgId })]);
      await storeOf().migrate();
      await storeOf().ping();
      expect(await storeOf().countReceived([orgId], MONTH)).toEqual([1]);
    });
  });
}

/** Large parameters and answers, exact numbers and hostile text. */
function describeTransport(storeOf: () => EventStore, share: number): void {
  describeArmSamples(storeOf);
  describeRawEvents(storeOf, share);
  describeComparedCalls(storeOf);
  describePromptedCalls(storeOf, share);
  describeUserEvents(storeOf, share);
}

interface QueryTests {
  /** A store that folds the days of every org. */
  readonly foldingOf: () => EventStore;
  readonly share: number;
}

function describeQueries(storeOf: () => EventStore, { foldingOf, share }: QueryTests): void {
  describeArmAttribution(storeOf);
  describeArmAnalysis(storeOf, share);
  if (share === 1) describe("with all days folded", () => describeArmAnalysis(foldingOf, share));
  describeBaseline(storeOf, share);
  describeUnitHistory(storeOf);
  describeCallCosts(storeOf, share);
  describeGuardSums(storeOf, share);
  describeHealth(storeOf, share);
  describeJudgeable(storeOf, share);
  describeFirstExposures(storeOf);
  describeJudgedUnits(storeOf);
  describeLoggedTraces(storeOf);
  describeSampling(storeOf);
  describeExclusions(storeOf, share);
  describe("covariates from stored sums", () => describeFoldedDays(foldingOf, share));
  describeExposuresByMinute(storeOf);
  describeExposureCounts(storeOf);
  describeCountByDay(storeOf);
  describeUnmetered(storeOf);
  describeProvenance(storeOf);
  describeUnits(storeOf);
  describeAgentRuns(storeOf);
}

function describeAppend(storeOf: () => EventStore): void {
  const countOf = async (orgId: string, month: UsageMonth = MONTH) =>
    (await storeOf().countReceived([orgId], month))[0];
  const exposuresOf = async (orgId: string) =>
    (await storeOf().traffic(wholeExperiment(orgId))).map(({ variant, exposures }) => [variant, exposures]);

  test("stores an id once within a list, and the first content wins", async () => {
    const orgId = randomUUID();
    const event = storedEvent({ orgId, variant: "a" });
    await storeOf().append([event, { ...event, variant: "b", userId: "other", occurredAt: T0 + 5 }]);
    expect(await countOf(orgId)).toBe(1);
    expect(await exposuresOf(orgId)).toEqual([["a", 1]]);
  });

  test.each<{ what: string; change: Partial<StoredEvent> }>([
    { what: "the same content", change: {} },
    { what: "another time", change: { occurredAt: T0 + 40 * DAY_MS, receivedAt: T0 + 41 * DAY_MS } },
    { what: "another user", change: { userId: "other" } },
    { what: "another experiment", change: { experimentId: "exp-2" } },
    { what: "another type", change: { type: "model_call", latencyMs: 3 } },
    { what: "another variant", change: { variant: "b" } },
  ])("ignores a stored id that arrives again with $what", async ({ change }) => {
    const orgId = randomUUID();
    const event = storedEvent({ orgId, variant: "a" });
    await storeOf().append([event]);
    await storeOf().append([{ ...event, ...change }, storedEvent({ orgId, variant: "new" })]);
    expect(await countOf(orgId)).toBe(2);
    expect(await countOf(orgId, monthOf(T0 + 41 * DAY_MS))).toBe(0);
    expect(await exposuresOf(orgId)).toEqual([
      ["a", 1],
      ["new", 1],
    ]);
    expect(await storeOf().traffic(wholeExperiment(orgId, "exp-2"))).toEqual([]);
  });

  test("stores an id once when two appends run at the same time", async () => {
    const orgId = randomUUID();
    const event = storedEvent({ orgId, variant: "a" });
    await Promise.all(["u1", "u2", "u3"].map((userId) => storeOf().append([{ ...event, userId }])));
    expect(await countOf(orgId)).toBe(1);
    expect(await exposuresOf(orgId)).toEqual([["a", 1]]);
  });

  test("keeps events of two orgs with equal ids apart", async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    const event = storedEvent({ orgId: one, variant: "a" });
    await storeOf().append([event, { ...event, orgId: two, variant: "b" }]);
    expect([await countOf(one), await countOf(two)]).toEqual([1, 1]);
    expect(await exposuresOf(one)).toEqual([["a", 1]]);
    expect(await exposuresOf(two)).toEqual([["b", 1]]);
  });

  test("accepts events of 200 orgs at once, with separate ids per org", async () => {
    const orgs = Array.from({ length: 200 }, () => randomUUID());
    const events = orgs.flatMap((orgId, i) =>
      ["shared", `own-${i}`].map((eventId) => storedEvent({ orgId, eventId, variant: "a" })),
    );
    await storeOf().append(events.filter((_, i) => i % 3 === 0));
    await storeOf().append(events);
    const counts = await Promise.all(orgs.map((orgId) => countOf(orgId)));
    expect(counts).toEqual(orgs.map(() => 2));
  });

  test("counts an event in the UTC month in which it was received", async () => {
    const orgId = randomUUID();
    const received = ["2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00.000Z", "2026-03-31T23:59:59.999Z"];
    const later = ["2026-04-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"];
    await storeOf().append(
      [...received, ...later].map((at) => storedEvent({ orgId, receivedAt: Date.parse(at) })),
    );
    const months = ["2026-01", "2026-02", "2026-03", "2026-04", "2026-12", "2027-01"] as UsageMonth[];
    expect(await Promise.all(months.map((month) => countOf(orgId, month)))).toEqual([0, 1, 2, 1, 1, 0]);
  });

  test("accepts 2,000 events of 300 different months", async () => {
    const orgId = randomUUID();
    const events = Array.from({ length: 2_000 }, (_, i) =>
      storedEvent({ orgId, variant: "a", userId: `u${i}`, occurredAt: Date.UTC(2000, i % 300, 2) }),
    );
    await storeOf().append(events);
    await storeOf().append(events);
    expect(await countOf(orgId)).toBe(2_000);
    const points = await storeOf().traffic(wholeExperiment(orgId));
    expect(points.length).toBe(300);
    expect(points.reduce((total, { users }) => total + users, 0)).toBe(2_000);
  });

  test("accepts an empty list", async () => {
    await storeOf().append([]);
  });

  test("stores hostile text as data, also in ids", async () => {
    const orgId = randomUUID();
    const events = HOSTILE.map((text) =>
      storedEvent({
        orgId: orgId,
        experimentId: `exp ${text}`,
        eventId: text,
        userId: text,
        variant: text,
        metadata: JSON.stringify({ text }),
        prompt: text,
        response: text,
        errorType: text,
        model: text,
      }),
    );
    await storeOf().append(events);
    await storeOf().append(events);
    expect(await countOf(orgId)).toBe(HOSTILE.length);
    for (const text of HOSTILE) {
      const variants = (await storeOf().traffic(wholeExperiment(orgId, `exp ${text}`))).map(
        ({ variant }) => variant,
      );
      expect(variants).toEqual([text]);
    }
  });

  test("recognizes 3,000 of the longest ids, even with quotes", async () => {
    const orgId = randomUUID();
    const events = Array.from({ length: 3_000 }, (_, i) =>
      storedEvent({ orgId, eventId: String(i).padStart(128, i % 2 === 0 ? "'" : "語") }),
    );
    await storeOf().append(events);
    await storeOf().append(events);
    expect(await countOf(orgId)).toBe(3_000);
    expect(await exposuresOf(orgId)).toEqual([]);
  });

  test("stores an event with half a surrogate pair once", async () => {
    const orgId = randomUUID();
    const event = storedEvent({ orgId, eventId: "half \ud83d", userId: "\udc00", prompt: "\ud83d\ud83d" });
    await storeOf().append([event, storedEvent({ orgId })]);
    await storeOf().append([event]);
    expect(await countOf(orgId)).toBe(2);
  });
}

function describeTraffic(storeOf: () => EventStore): void {
  test("counts exposures and distinct users per UTC day and variant, oldest first", async () => {
    const orgId = randomUUID();
    const at = (text: string) => ({ orgId, occurredAt: Date.parse(text) });
    await storeOf().append([
      storedEvent({ ...at("2026-03-11T00:00:00.000Z"), variant: "a", userId: "u1" }),
      storedEvent({ ...at("2026-03-10T23:59:59.999Z"), variant: "b", userId: "u1" }),
      storedEvent({ ...at("2026-03-10T00:00:00.000Z"), variant: "a", userId: "u1" }),
      storedEvent({ ...at("2026-03-10T11:00:00.000Z"), variant: "a", userId: "u1" }),
      storedEvent({ ...at("2026-03-10T12:00:00.000Z"), variant: "a", userId: "svc-test-1" }),
      storedEvent({ ...at("2026-03-10T12:00:00.000Z"), variant: null, userId: "u3" }),
      storedEvent({ ...at("2026-03-10T12:00:00.000Z"), variant: "a", type: "model_call" }),
      storedEvent({ ...at("2026-03-10T12:00:00.000Z"), variant: "a", experimentId: "another" }),
    ]);
    expect(await storeOf().traffic(wholeExperiment(orgId))).toEqual([
      { day: "2026-03-10", variant: "a", exposures: 3, users: 2 },
      { day: "2026-03-10", variant: "b", exposures: 1, users: 1 },
      { day: "2026-03-11", variant: "a", exposures: 1, users: 1 },
    ]);
  });
}

function describeExposuresByMinute(storeOf: () => EventStore): void {
  test("counts exposures per minute and variant within the range, oldest first, each once", async () => {
    const orgId = randomUUID();
    const at = (text: string) => Date.parse(`2026-03-10T${text}Z`);
    const exposure = (text: string, fields: Partial<StoredEvent> = {}) =>
      storedEvent({ orgId, variant: "a", occurredAt: at(text), ...fields });
    const events = [
      exposure("12:00:59.999"),
      exposure("12:01:00.000"),
      exposure("12:01:59.999"),
      exposure("12:01:30.000", { variant: "b", userId: "svc-test-1" }),
      exposure("12:03:00.000", { variant: "b" }),
      exposure("12:04:00.000"),
      exposure("12:03:00.000", { variant: null }),
      exposure("12:03:00.000", { type: "model_call" }),
      exposure("12:03:00.000", { experimentId: "another" }),
      exposure("12:03:00.000", { orgId: randomUUID() }),
    ];
    await storeOf().append(events);
    await storeOf().append(events);
    const range = { from: at("12:01:00.000"), until: at("12:04:00.000") };
    expect(await storeOf().exposuresByMinute({ ...wholeExperiment(orgId), ...range })).toEqual([
      { at: at("12:01:00.000"), variant: "a", exposures: 2 },
      { at: at("12:01:00.000"), variant: "b", exposures: 1 },
      { at: at("12:03:00.000"), variant: "b", exposures: 1 },
    ]);
    const none = { from: range.until + 1, until: range.until + 60_000 };
    expect(await storeOf().exposuresByMinute({ ...wholeExperiment(orgId), ...none })).toEqual([]);
  });
}

function describeExposureCounts(storeOf: () => EventStore): void {
  test("counts exposures and distinct users of each experiment by variant", async () => {
    const orgId = randomUUID();
    const exposure = (userId: string, variant: string | null, change: Partial<StoredEvent> = {}) =>
      storedEvent({ orgId, userId, variant, ...change });
    const late = { occurredAt: T0 + 3 * DAY_MS };
    await storeOf().append([
      exposure("u1", "b", { occurredAt: T0 + DAY_MS }),
      exposure("u1", "a"),
      exposure("u2", "a"),
      exposure("u2", "a", { occurredAt: T0 + 1 }),
      exposure("u2", "b"),
      exposure("svc-test-1", "b"),
      exposure("u3", null, late),
      exposure("u4", "", late),
      exposure("u1", "a", { type: "model_call", ...late }),
      exposure("u1", "c", { experimentId: "exp-2", ...late }),
      storedEvent({ orgId: randomUUID(), userId: "u9", variant: "a", ...late }),
    ]);
    const one = [
      { experimentId: "exp", variant: "a", users: 2, exposures: 3, lastOn: "2026-03-10" },
      { experimentId: "exp", variant: "b", users: 3, exposures: 3, lastOn: "2026-03-11" },
    ];
    const two = [{ experimentId: "exp-2", variant: "c", users: 1, exposures: 1, lastOn: "2026-03-13" }];
    expect(await storeOf().countExposures({ orgId, exclusions: [] })).toEqual([...one, ...two]);
    expect(await storeOf().countExposures({ orgId, experimentId: "exp", exclusions: [] })).toEqual(one);
    expect(await storeOf().countExposures({ orgId, experimentId: "exp-2", exclusions: [] })).toEqual(two);
    expect(await storeOf().countExposures({ orgId, experimentId: "none", exclusions: [] })).toEqual([]);
    expect(await storeOf().countExposures({ orgId: randomUUID(), exclusions: [] })).toEqual([]);
  });

  test("counts many users and their exposures, however they are stored", async () => {
    const orgId = randomUUID();
    const events = Array.from({ length: 9_000 }, (_, i) =>
      storedEvent({ orgId, userId: `u${i % 4_000}`, variant: i % 2 === 0 ? "a" : "b", occurredAt: T0 + i }),
    );
    for (const start of [0, 3_000, 6_000]) await storeOf().append(events.slice(start, start + 3_000));
    expect(await storeOf().countExposures({ orgId, exclusions: [] })).toEqual([
      { experimentId: "exp", variant: "a", users: 2_000, exposures: 4_500, lastOn: "2026-03-10" },
      { experimentId: "exp", variant: "b", users: 2_000, exposures: 4_500, lastOn: "2026-03-10" },
    ]);
  });
}

function describeCountByDay(storeOf: () => EventStore): void {
  test("counts the events of all orgs by UTC day of receipt, each once, within the range", async () => {
    // No other test receives events in this year.
    const at = (text: string) => Date.parse(`2019-${text}Z`);
    const received = ["06-30T23:59:59.999", "07-01T00:00:00.000", "07-01T23:59:59.999", "07-03T12:00:00.000"];
    const events = ["one", "two"].flatMap(() => {
      const orgId = randomUUID();
      return received.map((text) => storedEvent({ orgId, receivedAt: at(text), occurredAt: T0 }));
    });
    events.push(
      storedEvent({ orgId: randomUUID(), type: "model_call", receivedAt: at("07-03T00:00:00.000") }),
    );
    await storeOf().append(events);
    await storeOf().append(events);
    const days = (from: string, until: string) => storeOf().countByDay({ from: at(from), until: at(until) });
    expect([...(await days("07-01T00:00:00.000", "07-04T00:00:00.000"))]).toEqual([
      ["2019-07-01", 4],
      ["2019-07-03", 3],
    ]);
    expect([...(await days("06-30T23:59:59.999", "07-03T12:00:00.000"))]).toEqual([
      ["2019-06-30", 2],
      ["2019-07-01", 4],
      ["2019-07-03", 1],
    ]);
    expect((await days("07-02T00:00:00.000", "07-03T00:00:00.000")).size).toBe(0);
  });

  test("counts an org's events of publishable keys by UTC day of receipt, each once, within the range", async () => {
    const orgId = randomUUID();
    const today = startOfDay(dayOf(T0));
    const next = today + DAY_MS;
    const event = (receivedAt: number, source: EventSource | null = "publishable") =>
      storedEvent({ orgId, source, receivedAt });
    const events = [event(today - 1), event(today), event(next - 1), event(next), event(today, "secret")];
    await storeOf().append([...events, event(today, null), { ...event(today), orgId: randomUUID() }]);
    await storeOf().append(events.map((stored) => ({ ...stored, receivedAt: stored.receivedAt + DAY_MS })));
    const count = async (from: number, until: number) => [
      ...(await storeOf().countPublicByDay(orgId, { from, until })),
    ];
    expect(await count(today, next + 1)).toEqual([
      [dayOf(today), 2],
      [dayOf(next), 1],
    ]);
    expect(await count(today - 1, today)).toEqual([[dayOf(today - 1), 1]]);
    expect(await count(next + DAY_MS, next + 9 * DAY_MS)).toEqual([]);
  });
}
