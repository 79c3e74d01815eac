import fc from "fast-check";
import { expect, test } from "vitest";
import { normalQuantile } from "./distributions/normal.ts";
import { adjustFdrByEvidence } from "./fdr.ts";
import { createUniform } from "./random.ts";
import { alwaysValid, oneSidedEvidence } from "./sequential.ts";

/** Equation 9 of Waudby-Smith et al. 2021 and its e-value as printed, with rho² instead of the mixture's precision. */
function printed(effect: number, standardError: number, n: number, expectedUsers = 5000) {
  const rho2 = (-2 * Math.log(0.05) + Math.log(1 - 2 * Math.log(0.05))) / expectedUsers;
  const s = standardError * Math.sqrt(n);
  const inner = ((2 * (n * rho2 + 1)) / (n * n * rho2)) * Math.log(Math.sqrt(n * rho2 + 1) / 0.05);
  const z = effect / standardError;
  const e = Math.exp((rho2 * n * z * z) / (2 * (n * rho2 + 1))) / Math.sqrt(n * rho2 + 1);
  return { half: s * Math.sqrt(inner), pValue: Math.min(1, 1 / e) };
}

test.each([
  [0.3, 0.1, 400],
  [-2, 0.5, 5000],
  [0.01, 0.1, 100_000],
  [1, 1e-6, 20],
  [0.3, 0.1, 400, 100_000],
])("effect %d with standard error %d of %d users follows the printed formula", (...look) => {
  const [effect, standardError, n, expectedUsers] = look;
  const { half, pValue } = printed(effect!, standardError!, n!, expectedUsers);
  const valid = alwaysValid({ effect: effect!, standardError: standardError!, n: n!, expectedUsers });
  expect(valid.ciHigh - effect!).toBeCloseTo(half, 10);
  expect(effect! - valid.ciLow).toBeCloseTo(half, 10);
  expect(valid.pValue / Math.max(1e-300, pValue)).toBeCloseTo(1, 9);
  if (pValue < 1 && pValue > 0) expect(valid.logEvidence).toBeCloseTo(-Math.log(pValue), 9);
});

test("excludes 0 exactly when its p-value is below .05, and is wider than the fixed interval", () => {
  const positive = (max: number) => fc.double({ min: 1e-3, max, noNaN: true });
  fc.assert(
    fc.property(positive(10), positive(10), fc.integer({ min: 2, max: 1e7 }), (effect, standardError, n) => {
      const { ciLow, ciHigh, pValue } = alwaysValid({ effect, standardError, n });
      fc.pre(Math.abs(pValue - 0.05) > 1e-9);
      expect(ciLow > 0).toBe(pValue < 0.05);
      expect(ciHigh - effect).toBeGreaterThan(normalQuantile(0.975) * standardError);
    }),
  );
});

test("is about as tight at the expected number of users as for any other plan", () => {
  const users = fc.integer({ min: 100, max: 1e6 });
  const width = (n: number, expectedUsers: number) =>
    alwaysValid({ effect: 0, standardError: 1, n, expectedUsers }).ciHigh;
  fc.assert(
    fc.property(users, users, (n, other) => {
      expect(width(n, n)).toBeLessThan(width(n, other) * 1.001);
    }),
  );
});

test("one-sided evidence is the two-sided one times twice the probability of its side, as Howard et al. print it", () => {
  const positive = (max: number) => fc.double({ min: 1e-3, max, noNaN: true });
  const effects = fc.double({ min: -5, max: 5, noNaN: true });
  fc.assert(
    fc.property(effects, positive(2), fc.integer({ min: 1, max: 1e6 }), (effect, standardError, n) => {
      fc.pre(Math.abs(effect / standardError) < 30);
      const [above, below] = [effect, -effect].map((one) =>
        Math.exp(oneSidedEvidence({ effect: one, standardError, n })),
      ) as [number, number];
      const both = Math.exp(alwaysValid({ effect, standardError, n }).logEvidence);
      expect((above + below) / 2 / both).toBeCloseTo(1, 9);
      if (Math.abs(effect) > 1e-6) expect(above > below).toBe(effect > 0);
    }),
  );
});

test.each([-0.8, 0.1, 0.5, 1.2, 3])(
  "one-sided evidence at z = %d is the integral over effects above 0 that it is defined by",
  (z) => {
    const [n, expectedUsers, standardError] = [900, 5_000, 0.1];
    const rho = expectedUsers / (-2 * Math.log(0.05) + Math.log(1 - 2 * Math.log(0.05)));
    const s = z * Math.sqrt(n);
    const density = (lambda: number) =>
      2 * Math.sqrt(rho / (2 * Math.PI)) * Math.exp(lambda * s - (lambda * lambda * (n + rho)) / 2);
    const [step, steps] = [1e-5, 100_000];
    let integral = 0;
    for (let i = 0; i < steps; i++) integral += step * density((i + 0.5) * step);
    const evidence = oneSidedEvidence({ effect: z * standardError, standardError, n, expectedUsers });
    expect(evidence).toBeCloseTo(Math.log(integral), 6);
  },
);

test("one-sided evidence for an effect that is none, or below 0, is false in fewer than one experiment of twenty", () => {
  const normal = normals(3);
  const isFound = (effect: number) => {
    let sum = 0;
    for (let day = 1; day <= 28; day++) {
      sum += effect * 200 + 2 * Math.sqrt(200) * normal();
      const look = { effect: sum / (200 * day), standardError: 2 / Math.sqrt(200 * day), n: 200 * day };
      if (oneSidedEvidence(look) > Math.log(20)) return true;
    }
    return false;
  };
  const share = (effect: number) =>
    Array.from({ length: 2_000 }, () => isFound(effect)).filter(Boolean).length / 2_000;
  expect(share(0)).toBeGreaterThan(0);
  expect(share(0)).toBeLessThan(0.05);
  expect(share(-0.02)).toBeLessThan(share(0.02));
  expect(share(0.2)).toBeGreaterThan(0.3);
});

function normals(seed: number): () => number {
  const uniform = createUniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Draws the estimate after each of 28 days of 200 users with unit variance, as one row of a metric sees it. */
function looks(normal: () => number, effect: number) {
  const perDay = 200;
  let sum = 0;
  return Array.from({ length: 28 }, (_, day) => {
    const n = perDay * (day + 1);
    sum += effect * perDay + 2 * Math.sqrt(perDay) * normal();
    return alwaysValid({ effect: sum / n, standardError: 2 / Math.sqrt(n), n });
  });
}

test("excludes the true effect on any of 28 days in fewer than one experiment of twenty", () => {
  const normal = normals(1);
  const runs = 4_000;
  const wrong = Array.from({ length: runs }, () => looks(normal, 0)).filter((days) =>
    days.some(({ pValue }) => pValue < 0.05),
  );
  expect(wrong.length).toBeGreaterThan(0);
  expect(wrong.length / runs).toBeLessThan(0.05);
});

test("stopping at the first find by evidence, among correlated tests, gives few false discoveries", () => {
  const normal = normals(2);
  const runs = 1_000;
  let [falseShare, trueFinds] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const shared = looks(normal, 0);
    const rows = [shared, shared, looks(normal, 0), looks(normal, 0), looks(normal, 0.15)];
    const found = shared
      .map((_, day) => adjustFdrByEvidence(rows.map((row) => row[day]!.logEvidence)).map((p) => p < 0.05))
      .find((finds) => finds.some(Boolean));
    const finds = found?.filter(Boolean).length ?? 0;
    if (found?.[4]) trueFinds += 1;
    falseShare += finds === 0 ? 0 : (finds - (found![4] ? 1 : 0)) / finds / runs;
  }
  expect(falseShare).toBeLessThan(0.05);
  expect(trueFinds).toBeGreaterThan(runs / 2);
});
