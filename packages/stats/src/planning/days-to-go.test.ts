import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DaysToGoInput, daysToGo } from "./days-to-go.ts";
import { minimumDetectableEffect } from "./power.ts";

/** Nights with 100 more users each, whose standard error falls with the users to the power `decay`. */
function nights(count: number, decay: number) {
  return Array.from({ length: count }, (_, i) => {
    const users = 1000 + 100 * i;
    return { users, standardError: users ** -decay };
  });
}

const week = [100, 100, 100, 100, 100, 100, 100];
/** The standard error is 0.02 and must be 0.01, which takes four times the users at decay ½. */
const halfWay: DaysToGoInput = {
  history: [],
  usersNow: 2000,
  standardErrorNow: 0.02,
  newUsersPerDay: week,
  targetEffect: minimumDetectableEffect(0.01),
};

describe("daysToGo", () => {
  test.each([
    { name: "half the standard error takes four times the users", input: {}, days: 60 },
    {
      name: "six nights are too few to estimate the decay",
      input: { history: nights(6, 0.4) },
      days: 60,
    },
    {
      name: "seven nights of slower precision",
      input: { history: nights(7, 0.4) },
      days: 20 * (2 ** 2.5 - 1),
    },
    {
      name: "a drifting standard error is no slower than .3",
      input: { history: nights(9, 0.1) },
      days: 20 * (2 ** (1 / 0.3) - 1),
    },
    { name: "nor faster than .5", input: { history: nights(9, 0.8) }, days: 60 },
    {
      name: "nights without a new user have no slope",
      input: { history: week.map(() => ({ users: 2000, standardError: 0.02 })) },
      days: 60,
    },
    {
      name: "nights without a standard error do not count",
      input: { history: [...nights(6, 0.4), { users: 1700, standardError: 0 }] },
      days: 60,
    },
    {
      name: "only the last seven nights count",
      input: {
        history: [...week.map((users) => ({ users, standardError: 9 })), ...nights(7, 0.4)],
      },
      days: 20 * (2 ** 2.5 - 1),
    },
    { name: "a harmful target is as far", input: { targetEffect: -minimumDetectableEffect(0.01) }, days: 60 },
    { name: "reached", input: { standardErrorNow: 0.01 }, days: 0 },
    {
      name: "reached, though nobody comes any more",
      input: { standardErrorNow: 0.001, newUsersPerDay: [] },
      days: 0,
    },
  ])("$name", ({ input, days }) => {
    const forecast = daysToGo({ ...halfWay, ...input })!;
    for (const key of ["days", "daysLow", "daysHigh"] as const) expect(forecast[key]).toBeCloseTo(days, 6);
  });

  test("uses the median of the last seven days, and their quartiles for the range", () => {
    const newUsersPerDay = [9999, 60, 240, 100, 120, 200, 50, 600];
    const forecast = daysToGo({ ...halfWay, newUsersPerDay });
    expect(forecast).toEqual({
      days: expect.closeTo(6000 / 120, 9),
      daysLow: expect.closeTo(6000 / 220, 9),
      daysHigh: expect.closeTo(6000 / 80, 9),
    });
  });

  test("gives no latest day when a quarter of the days bring no users", () => {
    expect(daysToGo({ ...halfWay, newUsersPerDay: [0, 0, 0, 100, 100, 100, 100] })).toEqual({
      days: expect.closeTo(60, 9),
      daysLow: expect.closeTo(60, 9),
      daysHigh: null,
    });
  });

  test.each([
    { name: "nobody comes", input: { newUsersPerDay: [0, 0, 0, 0, 0, 0, 0] } },
    { name: "no full day has passed", input: { newUsersPerDay: [] } },
    { name: "it takes more than ten years", input: { targetEffect: minimumDetectableEffect(0.001) } },
    { name: "the target is no effect", input: { targetEffect: 0 } },
  ])("forecasts nothing when $name", ({ input }) => {
    expect(daysToGo({ ...halfWay, ...input })).toBeNull();
  });

  test("is right if users keep coming at that pace, and longer for a smaller target", () => {
    const positive = fc.double({ min: 0.01, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 1e5 }), positive, (usersNow, share) => {
        const input = { ...halfWay, usersNow, targetEffect: minimumDetectableEffect(0.02 * share) };
        const forecast = daysToGo(input);
        fc.pre(forecast !== null);
        const then = 0.02 * Math.sqrt(usersNow / (usersNow + 100 * forecast!.days));
        expect(then / (0.02 * share)).toBeCloseTo(1, 9);
        const harder = daysToGo({ ...input, targetEffect: input.targetEffect * 0.9 });
        expect(harder?.days ?? Number.POSITIVE_INFINITY).toBeGreaterThan(forecast!.days);
      }),
    );
  });
});

test("there is a forecast up to ten years ahead", () => {
  // Four times the users take three times as many more: one comes a day.
  const after = (days: number, one: readonly number[] = [1, 1, 1, 1, 1, 1, 1]) =>
    daysToGo({ ...halfWay, usersNow: days / 3, newUsersPerDay: one });
  expect(after(3_649)?.days).toBeCloseTo(3_649, 0);
  expect(after(3_651)).toBeNull();
  // The lower quartile of the paces is half as fast.
  const slow = [0.5, 0.5, 0.5, 1, 1, 1, 1];
  expect(after(1_824, slow)?.daysHigh).toBeCloseTo(3_648, 0);
  expect(after(1_826, slow)).toMatchObject({ days: expect.closeTo(1_826, 0), daysHigh: null });
});
