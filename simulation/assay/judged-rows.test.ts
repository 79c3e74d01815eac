import { expect, test } from "vitest";
import { createDraw } from "../random/draw.ts";
import { judgedRows } from "./judged-rows.ts";

/** Twenty users with two calls each; in the treatment the judge is half a point above people. */
const arm = (bias: number) =>
  Array.from({ length: 20 }, (_, user) =>
    [0, 1].map((call) => {
      const label = ((user * 7 + call * 3) % 5) + 1;
      return { weight: 1 + call, label, score: label + bias };
    }),
  );
const arms = { control: arm(0), treatment: arm(0.5) };

test("the judge alone shows its bias, people do not", () => {
  const { judge, calibrated, people } = judgedRows(createDraw("all"), [arms], 40);
  expect(judge?.effect).toBeCloseTo(0.5, 12);
  expect(people?.effect).toBeCloseTo(0, 12);
  // Every call has a label.
  expect(calibrated?.effect).toBeCloseTo(0, 12);
  expect(calibrated?.lambda).toEqual({ control: 0, treatment: 0 });
});

test("labels are of newly drawn calls each time, among all calls", () => {
  const draw = createDraw("some");
  const effects = Array.from({ length: 200 }, () => judgedRows(draw, [arms], 5).people!.effect);
  expect(new Set(effects).size).toBeGreaterThan(150);
  expect(Math.abs(effects.reduce((sum, effect) => sum + effect, 0) / 200)).toBeLessThan(0.3);
});

test("both arms have the same mix of allocation periods", () => {
  const users = (count: number, label: number) =>
    Array.from({ length: count }, (_, user) => [{ weight: 1, score: label, label: label + (user % 2) }]);
  const strata = [
    { control: users(18, 0), treatment: users(2, 0) },
    { control: users(10, 6), treatment: users(10, 6) },
  ];
  const { judge, people } = judgedRows(createDraw("periods"), strata, 12);
  expect(judge).toMatchObject({ controlValue: expect.closeTo(3, 12), treatmentValue: expect.closeTo(3, 12) });
  expect(people?.treatmentValue).toBeCloseTo(3.5, 12);
});
