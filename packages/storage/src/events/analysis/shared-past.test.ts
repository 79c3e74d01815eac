import { type AnalysisQuery, dayOf, type MetricQuery, type StoredEvent } from "@assay/domain";
import { expect, test } from "vitest";
import { revenue } from "../../contract-tests/arm-metrics.ts";
import { PRICES } from "../../contract-tests/some-prices.ts";
import { at, FROM_EVENTS, FROM_STATE, sent, useStateWorld } from "../../contract-tests/state-world.ts";
import { wholeExperiment } from "../../contract-tests/stored-event.ts";

/** The day on which the users of all experiments are exposed. */
const DAY = 4;

const { world } = await useStateWorld();

const exposed = (experimentId: string, userId: string, occurredAt: number) =>
  sent(occurredAt, { experimentId, userId, variant: "a" });
const bought = (userId: string, occurredAt: number, value: number) =>
  sent(occurredAt, {
    type: "business_event",
    businessMetric: "revenue",
    userId,
    value,
    experimentId: "shop",
  });
const called = (userId: string, occurredAt: number, event: Partial<StoredEvent>) =>
  sent(occurredAt, { type: "model_call", userId, experimentId: "shop", model: "gpt-small", ...event });

const waited: MetricQuery = {
  ...revenue,
  name: "waited",
  source: { event: "model_call", field: "latency_ms" },
};
const cost: MetricQuery = { ...revenue, name: "cost", source: { event: "model_call", field: "cost_usd" } };

const night = (experimentId: string, day: number, more: Partial<AnalysisQuery> = {}): AnalysisQuery => ({
  ...wholeExperiment("org", experimentId),
  ...{ until: at(day, 0), periodStarts: [], metrics: [revenue], prices: PRICES },
  sample: { maxUsersPerArm: 12, preDays: 14 },
  ...more,
});

/** What the users in a night's sample did before, for a metric. */
async function past(query: AnalysisQuery, metric = "revenue"): Promise<readonly number[]> {
  const { metrics } = await world.expectSame(query);
  return metrics.flatMap(({ metric: name, sample }) =>
    name === metric && sample?.type === "values" ? [...sample.preY].toSorted() : [],
  );
}

/**
 * Stores what ann and bob did, and a night of each experiment, from which the next one begins. Then both are exposed in all of them.
 */
async function begin(queries: readonly AnalysisQuery[], events: readonly StoredEvent[] = []): Promise<void> {
  await world.store.append([bought("ann", at(0), 1), bought("bob", at(0), 2), ...events]);
  for (const { experimentId } of queries) await world.store.append([exposed(experimentId, "old", at(2))]);
  for (const query of queries) await world.load({ ...query, until: at(DAY, 0) });
  for (const { experimentId } of queries)
    await world.store.append(["ann", "bob"].map((user) => exposed(experimentId, user, at(DAY))));
}

test("one query reads what the users of all experiments of a night did before", async () => {
  const queries = ["one", "two", "three"].map((id) => night(id, DAY + 1));
  await begin(queries);
  for (const query of queries) expect(await past(query)).toEqual([1, 2, Number.NaN]);
  expect(world.heard.askedFor).toEqual([["one", "two", "three"]]);
  // Each answer is used once: the night again begins from its own state.
  for (const query of queries) await world.expectSame(query);
  expect(world.heard.askedFor.length).toBe(1);
});

test("experiments with other metrics share the sources of all", async () => {
  const metrics = [[revenue], [waited, revenue], [waited]];
  const queries = metrics.map((some, i) => night(`e${i}`, DAY + 1, { metrics: some }));
  await begin(queries, [called("ann", at(1), { latencyMs: 7 })]);
  expect(await past(queries[0]!)).toEqual([1, 2, Number.NaN]);
  expect(await past(queries[1]!)).toEqual([1, 2, Number.NaN]);
  expect(await past(queries[1]!, "waited")).toEqual([7, Number.NaN, Number.NaN]);
  expect(await past(queries[2]!, "waited")).toEqual([7, Number.NaN, Number.NaN]);
  expect(world.heard.askedFor).toEqual([["e0", "e1", "e2"]]);
});

test("an experiment whose metrics changed since the night before is asked for by itself", async () => {
  const queries = ["one", "two", "three"].map((id) => night(id, DAY + 1));
  await begin(queries, [called("bob", at(1), { latencyMs: 7 })]);
  const changed = { ...queries[1]!, metrics: [waited] };
  await world.load({ ...changed, until: at(DAY, 0) });
  expect(await past(queries[0]!)).toEqual([1, 2, Number.NaN]);
  expect(await past(changed, "waited")).toEqual([7, Number.NaN, Number.NaN]);
  expect(world.heard.askedFor.map((ids) => ids.length)).toEqual([3]);
});

test("calls without a cost share a query only under the same prices", async () => {
  const tokens = { costUsd: null, inputTokens: 1_000_000, outputTokens: 0 };
  const queries = [PRICES, PRICES.slice(1), PRICES].map((prices, i) =>
    night(`e${i}`, DAY + 1, { metrics: [cost], prices }),
  );
  await begin(queries, [called("ann", at(1), tokens)]);
  for (const query of queries) await world.expectSame(query);
  expect(world.heard.askedFor).toEqual([["e0", "e2"], ["e1"]]);
});

test("calls that report their cost share a query whatever the prices", async () => {
  const queries = [PRICES, []].map((prices, i) => night(`e${i}`, DAY + 1, { metrics: [cost], prices }));
  await begin(queries, [called("ann", at(1), { costUsd: 0.5 })]);
  for (const query of queries) expect(await past(query, "cost")).toEqual([0.5, Number.NaN, Number.NaN]);
  expect(world.heard.askedFor).toEqual([["e0", "e1"]]);
});

test("what was read for an experiment is not used once an event of it came", async () => {
  const queries = ["one", "two", "three"].map((id) => night(id, DAY + 1));
  await begin(queries);
  await past(queries[0]!);
  await world.store.append([{ ...exposed("two", "eve", at(DAY, 13)), receivedAt: at(DAY + 1, 1) }]);
  expect(await past(queries[1]!)).toEqual([1, 2, Number.NaN, Number.NaN]);
  expect(await past(queries[2]!)).toEqual([1, 2, Number.NaN]);
  expect(world.heard.askedFor).toEqual([["one", "two", "three"], ["two"]]);
});

test("nor once a day has other cells", async () => {
  const queries = ["one", "two", "three"].map((id) => night(id, DAY + 1));
  await begin(queries);
  await past(queries[0]!);
  await world.store.append([{ ...bought("ann", at(1), 4), receivedAt: at(DAY + 1, 1) }]);
  expect(await past(queries[1]!)).toEqual([2, 5, Number.NaN]);
  expect(await past(queries[2]!)).toEqual([2, 5, Number.NaN]);
  expect(world.heard.askedFor).toEqual([
    ["one", "two", "three"],
    ["two", "three"],
  ]);
});

test("nor for another night, or once an id is overruled", async () => {
  const queries = ["one", "two", "three"].map((id) => night(id, DAY + 1));
  const theirs = { ...bought("ann", at(DAY), 8), eventId: "both", source: "publishable" as const };
  await begin(queries, [theirs]);
  await past(queries[0]!);
  await world.store.append([{ ...theirs, source: "secret", value: 9, experimentId: "other" }]);
  expect(await past(queries[1]!)).toEqual([1, 2, Number.NaN]);
  await world.expectSame({ ...queries[2]!, until: at(DAY + 2, 0) });
  expect(world.heard.askedFor.map((ids) => ids[0])).toEqual(["one", "two", "three"]);
});

test("an experiment with an exposure of an earlier day is asked for by itself, and takes along the others", async () => {
  const queries = ["one", "two", "three"].map((id) => night(id, DAY + 1));
  await begin(queries);
  await world.store.append([{ ...exposed("two", "eve", at(DAY - 2)), receivedAt: at(DAY) }]);
  for (const query of queries) await world.expectSame(query);
  expect(world.heard.askedFor).toEqual([["one", "three"], ["two"]]);
  expect(world.heard.exposedFrom).toEqual([DAY - 1, DAY - 2].map((day) => dayOf(at(day))));
});

test("excluded users, conversations and excluded events", async () => {
  const excluding = [[{ userIds: ["ann"] }], [{ eventIds: ["none"] }], []];
  const queries = excluding.map((exclusions, i) => night(`e${i}`, DAY + 1, { exclusions }));
  const conversations = night("talk", DAY + 1, { unit: "conversation" });
  await begin([conversations, ...queries]);
  await world.expectSame(conversations);
  expect(await past(queries[2]!)).toEqual([1, 2, Number.NaN]);
  expect(await past(queries[0]!)).toEqual([2, Number.NaN]);
  expect(await past(queries[1]!)).toEqual([1, 2, Number.NaN]);
  expect(world.heard.askedFor).toEqual([["talk"], ["e2", "e0"]]);
});

test.each([
  ["the same", revenue, []],
  [
    "other ones, from an earlier day on",
    waited,
    [{ ...exposed("one", "eve", at(DAY - 1)), receivedAt: at(DAY + 1) }],
  ],
])("metrics that are changed back: another experiment asked for %s", async (_, metric, late) => {
  const [one, two] = [night("one", DAY + 1, { metrics: [metric] }), night("two", DAY + 1)];
  await begin([one, two], [bought("new", at(1), 4)]);
  await world.load({ ...two, metrics: [waited] });
  await world.load(one);
  await world.store.append(["one", "two"].map((id) => exposed(id, "new", at(DAY + 1))));
  await world.store.append(late);
  const next = { until: at(DAY + 2, 0) };
  await world.load({ ...one, ...next });
  // The newest state has other metrics, so this night begins from the state before it.
  expect(await past({ ...two, ...next })).toEqual([1, 2, 4, Number.NaN]);
  expect(world.heard.askedFor.slice(-2)).toEqual([["one", "two"], ["two"]]);
});

test("one query asks for as many experiments as have few events since", async () => {
  const queries = ["one", "two", "three", "four", "five"].map((id) => night(id, DAY + 1));
  await begin(queries);
  // Each experiment has two events, and one query may cover eight.
  for (const query of queries) await world.load(query, { ...FROM_STATE, eventsPerPart: 4 });
  expect(world.heard.askedFor).toEqual([["one", "two", "three", "four"], ["five"]]);
  // Five events are read in two parts, and one query reads the past for both. Nine events need a query per part.
  for (const [id, users, asked] of [
    ["two-parts", 3, 1],
    ["three-parts", 7, 3],
  ] as const) {
    const large = night(id, DAY + 1);
    await begin([large]);
    await world.store.append(Array.from({ length: users }, (_, i) => exposed(id, `u${i}`, at(DAY))));
    const before = world.heard.askedFor.length;
    const arms = await world.load(large, { ...FROM_STATE, eventsPerPart: 4 });
    expect(world.heard.askedFor.length).toBe(before + asked);
    expect(arms).toEqual(await world.load(large, FROM_EVENTS));
  }
});
