import { setTimeout as sleep } from "node:timers/promises";
import {
  type AnalysisQuery,
  DAY_MS,
  dayOf,
  type ExclusionMatch,
  type StoredEvent,
  type UserValues,
} from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inNight, isNight } from "../../../../../tests/in-night.ts";
import { latency, METRICS, revenue } from "../../contract-tests/arm-metrics.ts";
import { MODELS, PRICES } from "../../contract-tests/some-prices.ts";
import {
  at,
  FROM_EVENTS,
  FROM_STATE,
  MIDNIGHT,
  sent,
  useStateWorld,
} from "../../contract-tests/state-world.ts";
import { storedEvent, wholeExperiment } from "../../contract-tests/stored-event.ts";
import { usersOfUnits } from "../../contract-tests/units.ts";

const NIGHTS = inNight(4, 12);
const OPERATIONS_PER_NIGHT = 8;
const KILLS = inNight(1, 3);
const HOUR_MS = 3_600_000;

const { server, world } = await useStateWorld();

const queryOf = (until: number, more: Partial<AnalysisQuery> = {}): AnalysisQuery => ({
  ...wholeExperiment("org"),
  ...{ until, periodStarts: [MIDNIGHT + 5 * DAY_MS], metrics: METRICS, prices: PRICES },
  sample: { maxUsersPerArm: 12, preDays: 14 },
  ...more,
});

/** Every kind, with and without a window, of calls and of outcomes; few, because planning a query takes longer the more there are. */
const SOME_METRICS = METRICS.filter(({ name }) =>
  ["latency", "revenue", "bought in 2 days", "cost in 2 days", "latency p50", "typical revenue"].includes(
    name,
  ),
);

const exposed = (userId: string, occurredAt: number, variant = "a") => sent(occurredAt, { userId, variant });
const bought = (userId: string, occurredAt: number, value: number) =>
  sent(occurredAt, { type: "business_event", businessMetric: "revenue", userId, value });

test("a night reads what came since the night before", async () => {
  await world.store.append([exposed("ann", at(0)), bought("ann", at(1), 0.1), bought("ann", at(2), 0.2)]);
  await world.expectSame(queryOf(at(3, 0)));
  expect(world.heard.tails).toBe(0);
  await world.store.append([bought("ann", at(3), 0.3), exposed("bob", at(3), "b")]);
  const { metrics } = await world.expectSame(queryOf(at(4, 0), { metrics: [revenue] }));
  expect(metrics.map(({ arm, meanY }) => [arm, meanY])).toEqual([
    ["a", 0.6],
    ["b", 0],
  ]);
  expect(world.heard.tails).toBe(0); // Another list of metrics has its own state.
  await world.store.append([bought("bob", at(4), 5)]);
  await world.expectSame(queryOf(at(5, 0), { metrics: [revenue] }));
  await world.expectSame(queryOf(at(5, 0)));
  expect(world.heard).toMatchObject({ tails: 2, fromRaw: 2, rereads: 0 });
});

test("what users did before comes from the state, unless a day before their exposure changed since", async () => {
  const past = async (day: number) => {
    const { metrics } = await world.expectSame(queryOf(at(day, 0), { metrics: [revenue] }));
    return metrics.flatMap(({ sample }) => (sample?.type === "values" ? [...sample.preY] : [])).sort();
  };
  const before = (userId: string, day: number, value: number) => ({
    ...bought(userId, at(day), value),
    experimentId: "other",
  });
  await world.store.append([before("ann", 0, 1), before("bob", 0, 2), exposed("ann", at(2))]);
  expect(await past(3)).toEqual([1]);
  await world.store.append([exposed("bob", at(3)), exposed("eve", at(3))]);
  expect(await past(4)).toEqual([1, 2, Number.NaN]);
  // Received late, of a day between the two: what ann and bob did before is read again.
  await world.store.append([{ ...before("ann", 1, 4), receivedAt: at(4) }]);
  expect(await past(5)).toEqual([2, 5, Number.NaN]);
  // Nobody was exposed since, so nobody's past is asked for.
  await world.store.append([before("ann", 5, 8)]);
  expect(await past(6)).toEqual([2, 5, Number.NaN]);
  expect(world.heard.exposedFrom).toEqual([3, 2].map((day) => dayOf(at(day))));
});

test("the state of conversations names their users", async () => {
  const of = (unitId: string, userId: string, event: StoredEvent) => ({ ...event, unitId, userId });
  const query = (day: number) => queryOf(at(day, 0), { unit: "conversation" });
  await world.store.append([
    ...[of("c1", "ann", exposed("", at(0))), of("c2", "ann", exposed("", at(0), "b"))],
    of("c1", "ann", bought("", at(1), 1)),
  ]);
  await world.expectSame(query(2));
  await world.store.append([
    ...[of("c3", "ann", exposed("", at(2))), of("c4", "bob", exposed("", at(2)))],
    of("c1", "ann", bought("", at(2), 2)),
  ]);
  const { metrics } = await world.expectSame(query(3));
  expect(world.heard.tails).toBe(1);
  expect(usersOfUnits({ metrics }, "revenue")).toEqual({ a: 2, b: 1 });
  const [row] = metrics.filter(({ metric, arm }) => metric === "revenue" && arm === "a");
  const { clusters, startedAt } = row!.sample as UserValues;
  expect([new Set(clusters).size, startedAt!.toSorted()]).toEqual([2, Float64Array.of(at(0), at(2), at(2))]);
});

test("a conversation of several users has the past of the one who was exposed first", async () => {
  const of = (event: StoredEvent) => ({ ...event, unitId: "shared" });
  const before = [bought("ann", at(0), 1), bought("bob", at(0), 2)];
  await world.store.append(before.map((event) => ({ ...event, experimentId: "other" })));
  const users = ["bob", "ann", null];
  for (const [i, user] of users.entries()) {
    if (user !== null) await world.store.append([of(exposed(user, at(2 + i)))]);
    else await world.engine.command("OPTIMIZE TABLE analysis FINAL"); // now in the order of the users' names
    const query = queryOf(at(3 + i, 0), { unit: "conversation", metrics: [revenue] });
    const [row] = (await world.expectSame(query)).metrics;
    expect((row!.sample as UserValues).preY).toEqual(Float64Array.of(2));
  }
});

test("tokens that no event of the experiment reports are not read, until one does", async () => {
  const called = (occurredAt: number, tokens: Partial<StoredEvent>) =>
    sent(occurredAt, { type: "model_call", userId: "ann", model: "gpt-small", ...tokens });
  await world.store.append([exposed("ann", at(0)), called(at(1), { inputTokens: 9, outputTokens: 1 })]);
  await world.expectSame(queryOf(at(2, 0)));
  expect(world.heard.withoutAudio).toBe(1);
  const tokens = { inputTokens: 900, outputTokens: 100, cachedInputTokens: 300, audioInputTokens: 200 };
  await world.store.append([called(at(2), tokens)]);
  const { facts } = await world.expectSame(queryOf(at(3, 0)));
  expect(facts.health[0]).toMatchObject({ cachedInputTokens: 300 });
  expect(world.heard).toMatchObject({ tails: 1, withoutAudio: 1 });
});

test("the page of today begins from last night's state, and writes none", async () => {
  await world.store.append([exposed("ann", at(0)), bought("ann", at(1), 1)]);
  await world.load(queryOf(at(2, 0)));
  const [state, layers] = [await world.state(queryOf(at(2, 0))), await world.layers()];
  await world.store.append([bought("ann", at(2, 3), 2), exposed("eve", at(2, 4), "b")]);
  const live = await world.expectSame(queryOf(at(2, 5), { sample: null }));
  expect(live.exposures.map(({ arm, users }) => [arm, users])).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
  expect(world.heard.tails).toBe(1);
  expect(await world.state(queryOf(at(2, 0)))).toEqual(state);
  expect(await world.layers()).toEqual(layers);
  // A night of the past has no use for a later state.
  await world.expectSame(queryOf(at(1, 0)));
});

test("outcomes of an exposure that arrives late are read again, with all of the user's", async () => {
  await world.store.append([
    ...[bought("ann", at(0), 1), bought("ann", at(1), 2), exposed("bob", at(1)), bought("bob", at(1, 14), 4)],
    ...["u1", "u2", "u3"].map((userId) => exposed(userId, at(0), "b")),
  ]);
  await world.load(queryOf(at(2, 0)));
  await world.store.append([
    { ...exposed("ann", at(0, 18)), receivedAt: at(2, 1) },
    { ...exposed("bob", at(0)), receivedAt: at(2, 2) },
    { ...exposed("u2", at(1), "b"), receivedAt: at(2, 2) },
  ]);
  const arms = await world.expectSame(queryOf(at(3, 0)));
  expect(arms).toMatchObject({ outcomes: 2, droppedPreExposure: 1, firstExposureAt: at(0) });
  expect(world.heard).toMatchObject({ tails: 1, rereads: 2 });
  // Received after the midnight that the night is for: in this night's answer, and not in its state.
  await world.store.append([
    { ...exposed("u1", at(-1), "b"), receivedAt: at(4, 0.1) },
    { ...bought("u3", at(3), 8), receivedAt: at(4, 0.1) },
    { ...bought("u1", at(3), 8), receivedAt: at(3) },
  ]);
  expect((await world.expectSame(queryOf(at(4, 0)))).firstExposureAt).toBe(at(-1));
  const state = await world.state(queryOf(at(4, 0)));
  await world.forget();
  await world.expectSame(queryOf(at(4, 0)));
  expect(await world.state(queryOf(at(4, 0)))).toEqual(state);
  await world.expectSame(queryOf(at(5, 0)));
});

test("events since a state that are in the raw log no longer are read from the other one", async () => {
  await world.store.append([exposed("ann", at(0)), bought("ann", at(1), 1)]);
  await world.load(queryOf(at(2, 0)));
  // From a clock that is ahead: received before the midnight, and not of the state.
  await world.store.append([
    { ...bought("ann", at(2, 6), 4), receivedAt: at(1, 23) },
    bought("ann", at(2), 2),
  ]);
  await world.expectSame(queryOf(at(3, 0)));
  expect(world.heard).toMatchObject({ tails: 1, fromRaw: 1 });
  await world.store.append([bought("ann", at(3), 8)]);
  await world.store.sweepRaw([{ orgIds: ["org"], receivedBefore: at(9) }]);
  const { metrics } = await world.expectSame(queryOf(at(4, 0), { metrics: [revenue] }));
  expect(metrics[0]?.meanY).toBe(15);
  await world.expectSame(queryOf(at(4, 0)));
  expect(world.heard).toMatchObject({ tails: 2, fromRaw: 1 });
});

test("a state whose chunks are gone is made anew", async () => {
  await world.store.append([exposed("ann", at(0)), bought("ann", at(1), 1)]);
  await world.load(queryOf(at(2, 0)));
  await world.engine.command("ALTER TABLE unit_states DELETE WHERE chunk = 0 SETTINGS mutations_sync = 1");
  await world.store.append([bought("ann", at(2), 2)]);
  await world.expectSame(queryOf(at(3, 0)));
  expect((await world.layers()).length).toBe(2);
  expect(await world.state(queryOf(at(3, 0)))).not.toBeNull();
});

test("erasing a user and removing an experiment remove the states that they are in", async () => {
  await world.store.append([exposed("ann", at(0)), bought("ann", at(1), 1), exposed("bob", at(0))]);
  await world.load(queryOf(at(2, 0)));
  while ((await world.store.eraseUsers([{ orgId: "org", userId: "ann", requestedAt: at(9) }])) > 0);
  expect(await world.engine.rows("SELECT chunk FROM unit_states", {})).toEqual([]);
  const { exposures } = await world.expectSame(queryOf(at(2, 0)));
  expect(exposures).toMatchObject([{ arm: "a", users: 1 }]);
  await world.store.removeExperiment("org", "exp");
  expect(await world.engine.rows("SELECT fold FROM unit_states", {})).toEqual([]);
  expect(await world.load(queryOf(at(2, 0)))).toMatchObject({ exposures: [], firstExposureAt: null });
});

test("many units, in many chunks and parts", async () => {
  const users = Array.from({ length: 9_000 }, (_, i) => `u${i}`);
  await world.store.append(users.map((userId, i) => exposed(userId, at(0), i % 2 ? "a" : "b")));
  await world.store.append(users.map((userId, i) => bought(userId, at(1), Math.exp(Math.sin(i)))));
  const night = (day: number) => queryOf(at(day, 0), { metrics: [revenue, latency] });
  await world.load(night(2));
  expect(await world.layers()).toEqual([[3, 0]]);
  await world.store.append(
    users.slice(0, 5_000).map((userId, i) => bought(userId, at(2), Math.exp(Math.cos(i)))),
  );
  await world.store.append([exposed("new", at(2))]);
  const whole = await world.load(night(3), FROM_EVENTS);
  expect(await world.load(night(3), { ...FROM_STATE, eventsPerPart: 700 })).toEqual(whole);
  expect(await world.load({ ...night(3), until: at(3, 1) })).toEqual(whole);
  expect(world.heard.tails).toBe(9);
  // 5,001 of them changed: as many are added to the state of the night before.
  expect(await world.layers()).toEqual([
    [3, 0],
    [2, 1],
  ]);
  const layered = await world.state(night(3));
  await world.forget();
  await world.load(night(3));
  expect(await world.layers()).toEqual([[3, 0]]);
  expect(await world.state(night(3))).toEqual(layered);
  await world.forget();
  expect(await world.load(night(3), { ...FROM_STATE, eventsPerPart: 2_000 })).toEqual(whole);
  expect(world.heard.ranges).toBeGreaterThan(5);
  expect(await world.state(night(3))).toEqual(layered);
});

/** Values whose sums depend on their order, some of them days late, some from a clock that is ahead. */
const someEvent: fc.Arbitrary<Partial<StoredEvent> & { readonly hours: number }> = fc
  .record({
    kind: fc.constantFrom("exposure", "model_call", "model_call", "business_event", "business_event"),
    userId: fc.integer({ min: 0, max: 40 }).map((i) => (i === 40 ? "svc-test-1" : `u${i}`)),
    experimentId: fc.constantFrom("exp", "exp", "exp", "exp", "other"),
    hours: fc.oneof(
      { weight: 2, arbitrary: fc.integer({ min: -30, max: 0 }) },
      { weight: 1, arbitrary: fc.integer({ min: -120, max: 20 }) },
    ),
    value: fc.integer({ min: 1, max: 1e6 }).map((i) => Math.exp(Math.sin(i))),
    model: fc.constantFrom(...MODELS, null),
    variant: fc.constantFrom(null, null, null, "a", "b", "c"),
    isTest: fc.constantFrom(null, null, null, null, true),
  })
  .map(({ kind, value, model, variant, isTest, ...common }) => {
    const event = { ...common, type: kind, isTest } as Partial<StoredEvent> & { hours: number };
    const own = Number(common.userId.slice(1)) % 2 === 0 ? "a" : "b";
    if (kind === "exposure") return { ...event, variant: value > 2.6 ? "c" : own };
    if (kind === "business_event") return { ...event, businessMetric: "revenue", value, variant };
    return {
      ...event,
      inputTokens: Math.round(1_000 * value),
      outputTokens: 7,
      model,
      latencyMs: value,
      variant,
    };
  });

const someOperation = fc.record({
  // Mostly appends: most of the others change what was folded, and the next night reads everything.
  name: fc.oneof(
    { weight: 32, arbitrary: fc.constant("append") },
    {
      weight: 8,
      arbitrary: fc.constantFrom("late", "redeliver", "supersede", "erase", "exclude", "price", "live"),
    },
  ),
  events: fc.array(someEvent, { minLength: 3, maxLength: 20 }),
  pick: fc.nat(),
});

test.runIf(isNight())(
  "night by night over a history of changes, answers and state are byte for byte those of a rebuild",
  async () => {
    const stored: StoredEvent[] = [];
    const done = new Map<string, number>();
    let exclusions: readonly ExclusionMatch[] = [];
    let prices = PRICES;
    const operations = fc.sample(someOperation, { numRuns: NIGHTS * OPERATIONS_PER_NIGHT, seed: 26 });
    for (const [index, { name, events, pick }] of operations.entries()) {
      done.set(name, (done.get(name) ?? 0) + 1);
      const day = Math.floor(index / OPERATIONS_PER_NIGHT);
      const now = at(day, 1 + (22 * (index % OPERATIONS_PER_NIGHT)) / OPERATIONS_PER_NIGHT);
      const fresh = events.map(({ hours, ...event }, i) =>
        storedEvent({
          ...event,
          eventId: `e${index}-${i}`,
          occurredAt: now + hours * HOUR_MS,
          receivedAt: now - (name === "late" ? DAY_MS : 0),
          // In the second half, a sampler keeps some of the traces.
          samplingProbability: day >= NIGHTS / 2 && i % 3 > 0 ? 0.1 * (i % 3) : null,
        }),
      );
      const old = stored[pick % Math.max(1, stored.length)];
      if (name === "append" || name === "late") {
        stored.push(...fresh);
        await world.store.append(fresh);
      } else if (name === "redeliver") {
        await world.store.appendUnmetered(stored.slice(pick % Math.max(1, stored.length)).slice(0, 5));
      } else if (name === "supersede") {
        const source = old?.source === "publishable" ? "secret" : "publishable";
        if (old !== undefined) await world.store.append([{ ...old, source, receivedAt: now }]);
      } else if (name === "erase") {
        await world.store.eraseUsers([{ orgId: "org", userId: `u${pick % 40}`, requestedAt: now }]);
      } else if (name === "exclude")
        exclusions = exclusions.length > 0 ? [] : [{ userIds: [`u${pick % 40}`] }];
      else if (name === "price")
        prices = prices.length === 0 ? PRICES : PRICES.slice(0, pick % PRICES.length);
      else await world.expectSame(queryOf(now, { exclusions, prices, metrics: SOME_METRICS, sample: null }));
      if ((index + 1) % OPERATIONS_PER_NIGHT !== 0) continue;
      const query = queryOf(at(day + 1, 0), { exclusions, prices, metrics: SOME_METRICS });
      await world.expectSame(query);
      await world.expectSame({ ...query, experimentId: "other", metrics: [latency, revenue] });
      if (day % 4 !== 3) continue;
      const state = await world.state(query);
      await world.forget();
      await world.load(query, { ...FROM_STATE, eventsPerPart: 20 + (pick % 50) });
      expect(await world.state(query)).toEqual(state);
    }
    expect(done.size).toBe(8);
    expect(world.heard.tails).toBeGreaterThanOrEqual(NIGHTS / 3);
    expect(world.heard.rereads).toBeGreaterThan(0);
    expect(world.heard.askedFor.filter(({ length }) => length > 1).length).toBeGreaterThan(NIGHTS / 6);
  },
  600_000,
);

test.runIf(isNight())(
  `killed ${KILLS} times inside a night, the next one is byte for byte that of a rebuild`,
  async () => {
    let cutOff = 0;
    const restarts = () => server.clickhouse.restarts;
    for (let kill = 0; kill < KILLS; kill++) {
      const events = fc.sample(someEvent, { numRuns: 60, seed: kill });
      await world.store.append(
        events.map(({ hours, ...event }, i) =>
          sent(at(kill, 1) + (hours + 20) * HOUR_MS, { ...event, eventId: `e${kill}-${i}` }),
        ),
      );
      const before = restarts();
      const night = world.load(queryOf(at(kill + 2, 0))).then(
        () => false,
        () => true,
      );
      await sleep((200 * (kill + 1)) / KILLS);
      process.kill(server.clickhouse.pid!, "SIGKILL");
      cutOff += Number(await night);
      while (restarts() <= before) await sleep(20);
    }
    expect(cutOff).toBeGreaterThan(0);
    const query = queryOf(at(KILLS + 2, 0));
    await world.expectSame(query);
    const state = await world.state(query);
    expect(state).not.toBeNull();
    await world.forget();
    await world.load(query);
    expect(await world.state(query)).toEqual(state);
  },
  600_000,
);
