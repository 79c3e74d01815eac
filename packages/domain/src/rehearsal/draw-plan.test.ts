import fc from "fast-check";
import { expect, test } from "vitest";
import { type CallCell, countCalls, planDraw } from "./draw-plan.ts";

const cell = (day: number, step: number, calls: number): CallCell => ({ day, step, calls });
const CELLS = [cell(2, 0, 1), cell(1, 1, 300), cell(1, 0, 99), cell(2, 4, 200)];

const quotas = (cells: readonly CallCell[], items: number, start: number) =>
  planDraw(cells, items, start).map(({ quota }) => quota);

test("gives each day and length its share, in order", () => {
  expect(planDraw(CELLS, 6, 0).map(({ day, step, quota }) => [day, step, quota])).toEqual([
    [1, 0, 0],
    [1, 1, 3],
    [2, 0, 1],
    [2, 4, 2],
  ]);
  expect(quotas(CELLS, 6, 0.5)).toEqual([1, 3, 0, 2]);
  expect(quotas(CELLS, 60, 0)).toEqual([9, 30, 1, 20]);
});

test("takes all calls when as many are wanted, and none of none", () => {
  expect(quotas(CELLS, 600, 0.9)).toEqual([99, 300, 1, 200]);
  expect(quotas(CELLS, 10_000, 0.3)).toEqual([99, 300, 1, 200]);
  expect(planDraw([], 10, 0.3)).toEqual([]);
});

test("draws as many as wanted, from no cell more than it has, and each share rounded up or down", () => {
  const cells = fc.array(
    fc.record({ day: fc.nat(9), step: fc.nat(9), calls: fc.integer({ min: 1, max: 99 }) }),
    {
      minLength: 1,
      maxLength: 40,
    },
  );
  fc.assert(
    fc.property(
      cells,
      fc.integer({ min: 1, max: 500 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (own, items, start) => {
        const all = countCalls(own);
        const plan = planDraw(own, items, start);
        expect(plan.reduce((sum, { quota }) => sum + quota, 0)).toBe(Math.min(items, all));
        for (const { calls, quota } of plan) {
          const share = (calls * Math.min(items, all)) / all;
          expect(quota).toBeLessThanOrEqual(calls);
          expect(Math.abs(quota - share)).toBeLessThan(1 + 1e-9);
        }
      },
    ),
  );
});

test("over all beginnings, each call is drawn with the same probability, also in cells of one call", () => {
  const BEGINNINGS = 6_000;
  const sums = new Array(CELLS.length).fill(0);
  for (let i = 0; i < BEGINNINGS; i++)
    for (const [index, { quota, calls }] of planDraw(CELLS, 7, i / BEGINNINGS).entries())
      sums[index] += quota / calls;
  for (const sum of sums) expect(sum / BEGINNINGS).toBeCloseTo(7 / 600, 4);
});
