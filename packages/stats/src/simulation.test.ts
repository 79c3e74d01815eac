import { expect, test } from "vitest";
import { ratioDelta } from "./tests/ratio-delta.ts";
import { twoProportionZ } from "./tests/two-proportion-z.ts";
import { welchT } from "./tests/welch-t.ts";

const RUNS = 2_000;
const USERS = 400;
/** 99.9 % of binomial(2,000, .05). */
const [FEWEST, MOST] = [68, 132];

/** xoshiro128+, written apart from the package's generator, as a uniform in (0, 1). */
function uniforms(seed: number): () => number {
  let [a, b, c, d] = [seed, 0x12345678, 0x9abcdef0 | 0, 0x0f1e2d3c];
  const draw = () => {
    const result = (a + d) >>> 0;
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = (d << 11) | (d >>> 21);
    return (result + 0.5) / 2 ** 32;
  };
  for (let i = 0; i < 50; i++) draw();
  return draw;
}

function normals(uniform: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Sums up users drawn one by one; each user has the two values of a ratio. */
function draw(user: () => readonly [y: number, d: number], n: number) {
  const users = Array.from({ length: n }, user);
  const meanY = users.reduce((sum, [y]) => sum + y, 0) / n;
  const meanD = users.reduce((sum, [, d]) => sum + d, 0) / n;
  let [m2Y, m2D, cYD] = [0, 0, 0];
  for (const [y, d] of users) {
    m2Y += (y - meanY) ** 2;
    m2D += (d - meanD) ** 2;
    cYD += (y - meanY) * (d - meanD);
  }
  return { n, meanY, meanD, m2Y, m2D, cYD };
}

function rejections(pValue: () => number): number {
  return Array.from({ length: RUNS }, pValue).filter((p) => p < 0.05).length;
}

test("Welch's test of equal means with unequal spread and size rejects one time in twenty", () => {
  const normal = normals(uniforms(1));
  const arm = (n: number, sd: number) => {
    const { meanY, m2Y } = draw(() => [5 + sd * normal(), 1], n);
    return { n, mean: meanY, m2: m2Y };
  };
  const count = rejections(() => welchT(arm(60, 3), arm(USERS, 1))!.pValue);
  expect(count).toBeGreaterThanOrEqual(FEWEST);
  expect(count).toBeLessThanOrEqual(MOST);
});

test("the z test of equal proportions rejects one time in twenty", () => {
  const uniform = uniforms(2);
  const arm = () => ({
    n: USERS,
    successes: Array.from({ length: USERS }, uniform).filter((u) => u < 0.3).length,
  });
  const count = rejections(() => twoProportionZ(arm(), arm())!.pValue);
  expect(count).toBeGreaterThanOrEqual(FEWEST);
  expect(count).toBeLessThanOrEqual(MOST);
});

test("the delta method on users with very different numbers of calls rejects one time in twenty", () => {
  const uniform = uniforms(3);
  const normal = normals(uniform);
  const arm = () =>
    draw(() => {
      const calls = 1 + Math.floor(-5 * Math.log(uniform()));
      const level = 100 * Math.exp(0.4 * normal());
      return [calls * level + Math.sqrt(calls) * 20 * normal(), calls];
    }, USERS);
  const count = rejections(() => ratioDelta(arm(), arm())!.pValue);
  expect(count).toBeGreaterThanOrEqual(FEWEST);
  expect(count).toBeLessThanOrEqual(MOST);
});
