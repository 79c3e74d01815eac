import type { AnalysisQuery } from "@assay/domain";
import { expect, test } from "vitest";
import { revenue } from "../../contract-tests/arm-metrics.ts";
import { at, sent, useStateWorld } from "../../contract-tests/state-world.ts";
import { wholeExperiment } from "../../contract-tests/stored-event.ts";

const { world } = await useStateWorld();

const night = (day: number): AnalysisQuery => ({
  ...wholeExperiment("org"),
  ...{ until: at(day, 0), periodStarts: [], metrics: [revenue], prices: [] },
  sample: { maxUsersPerArm: 12, preDays: 14 },
});

const exposed = (userId: string, occurredAt: number, variant = "a") => sent(occurredAt, { userId, variant });
const bought = (userId: string, occurredAt: number, value: number) =>
  sent(occurredAt, { type: "business_event", businessMetric: "revenue", userId, value });

test("what changed is added to a whole state, and the night after that writes a whole one", async () => {
  const users = ["ann", "bob", "eve"];
  await world.store.append(users.map((user) => exposed(user, at(0), user === "eve" ? "b" : "a")));
  const states: (string | null)[] = [];
  for (const [day, changed] of [["ann"], ["bob", "new"], [], ["eve", "bob"]].entries()) {
    const others = changed.filter((user) => !users.includes(user));
    await world.store.append(others.map((user) => exposed(user, at(day + 1))));
    await world.store.append(changed.map((user) => bought(user, at(day + 1), 2 ** day)));
    await world.load(night(day + 2));
    states.push(await world.state(night(day + 2)));
  }
  expect((await world.layers()).map(([, isChange]) => isChange)).toEqual([0, 1, 0, 1]);
  expect(world.heard.tails).toBe(3);
  const layered = await world.load(night(5));
  await world.forget();
  expect(await world.load(night(5))).toEqual(layered);
  expect(await world.state(night(5))).toEqual(states.at(-1));
  // Nothing happened between these two: one layer on the other, and one alone.
  expect(states[2]).toEqual(states[1]);
});

test.each([
  [1, true],
  [2, false],
])("a state of %i days before is recent: %j", async (age, isRecent) => {
  const query = night(1);
  await world.store.append([exposed("ann", at(0))]);
  await world.load(query);
  await world.engine.command("CREATE TABLE aged AS unit_states");
  await world.engine.command(
    `INSERT INTO aged SELECT * REPLACE (folded_on - ${age} AS folded_on) FROM unit_states`,
  );
  await world.forget();
  await world.engine.command("INSERT INTO unit_states SELECT * FROM aged");
  await world.engine.command("DROP TABLE aged");
  await world.load(night(2));
  expect((await world.layers()).map(([, isChange]) => isChange)).toEqual([0, Number(isRecent)]);
});

test("a state whose base is gone is made anew", async () => {
  await world.store.append([exposed("ann", at(0)), exposed("bob", at(0))]);
  await world.load(night(1));
  await world.store.append([bought("ann", at(1), 1)]);
  await world.load(night(2));
  const [[, isChange] = []] = (await world.layers()).slice(1);
  expect(isChange).toBe(1);
  // Asked for first: a subquery in the change is computed for each part, and may see what it has already deleted.
  const [[base] = []] = await world.engine.rows<[string]>("SELECT toString(min(fold)) FROM unit_states", {});
  await world.engine.command(
    "ALTER TABLE unit_states DELETE WHERE fold = {base: UInt64} SETTINGS mutations_sync = 1",
    {
      base,
    },
  );
  await world.store.append([bought("bob", at(2), 2)]);
  const tails = world.heard.tails;
  await world.expectSame(night(3));
  expect(world.heard.tails).toBe(tails + 1); // It began from the rest, and again from the events.
  expect((await world.layers()).at(-1)).toEqual([1, 0]);
});
