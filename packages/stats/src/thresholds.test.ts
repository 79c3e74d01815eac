import { expect, test } from "vitest";
import { documented } from "../../../tests/documented.ts";
import { cupedMeans } from "./cuped/cuped.ts";
import { chiSquareSf } from "./distributions/chi-square.ts";
import { adjustFdr } from "./fdr.ts";
import { ALPHA } from "./level.ts";
import { clusterQuantile } from "./methods/cluster-quantile.ts";
import { alwaysValid } from "./sequential.ts";
import { exactBinomial } from "./srm/exact-split.ts";
import { srmTest } from "./srm/srm-test.ts";

/** Two equal arms: `rSquared` of the variance is explained by earlier values, which `known` of the users have. */
function cupedOf({ rSquared, known, users }: { rSquared: number; known: number; users: number }) {
  const x = Float64Array.from({ length: users }, (_, user) => (user % 2 === 0 ? 1 : -1));
  const noise = x.map((_, user) => (user % 4 < 2 ? 1 : -1));
  const y = x.map((value, user) => Math.sqrt(rSquared) * value + Math.sqrt(1 - rSquared) * noise[user]!);
  const arm = { y, x: x.map((value, user) => (user < known ? value : Number.NaN)) };
  return cupedMeans([{ control: arm, treatment: arm }]);
}

test("CUPED adjusts from the documented share of users with earlier values on", () => {
  const least = documented("statistics.md", /When at least (\d+) % of the users have the metric's values/);
  const users = 400;
  const known = (least / 100) * users;
  expect(cupedOf({ rSquared: 0.9, known, users })?.coverage).toBe(least / 100);
  expect(cupedOf({ rSquared: 0.9, known: known - 1, users })).toBeNull();
});

test("CUPED adjusts above the documented share of the variance", () => {
  const least = documented("statistics.md", /explain more than (\d+) % of the variance over both arms/) / 100;
  const users = 400;
  expect(cupedOf({ rSquared: least + 1e-6, known: users, users })).not.toBeNull();
  expect(cupedOf({ rSquared: least - 1e-6, known: users, users })).toBeNull();
});

test("SRM trusts chi-square from the documented expected count on", () => {
  const least = documented("statistics.md", /Expected counts below (\d+) get an exact p-value/);
  const split = (users: number) => {
    const observed = [users - 1, 1];
    return srmTest({ periods: [{ shares: [1, 1], users }], observed, seed: 1 });
  };
  const enough = split(2 * least);
  expect(enough.expected).toEqual([least, least]);
  expect(enough.pValue).toBe(chiSquareSf(enough.statistic!, 1));
  const few = split(2 * least - 1);
  expect(few.pValue).toBe(exactBinomial(2 * least - 2, 2 * least - 1, 0.5));
});

test("a quantile has a row until one user holds the documented share of an arm's calls", () => {
  const share = documented(
    "statistics.md",
    /no row when one user holds more than ([\d.]+)% of an arm's calls/,
  );
  const callsOf = (calls: number) => ({
    bins: Int32Array.from({ length: 180 }, (_, user) => user),
    counts: new Uint32Array(180).fill(1).fill(calls, 0, 1),
    offsets: Uint32Array.from({ length: 181 }, (_, user) => user),
  });
  const hasRow = (calls: number) =>
    clusterQuantile([{ control: callsOf(calls), treatment: callsOf(1) }], {
      quantile: 0.5,
      permutations: 19,
      seed: 1,
    }) !== null;
  const most = Math.floor((179 * share) / (100 - share));
  expect(hasRow(most)).toBe(true);
  expect(hasRow(most + 1)).toBe(false);
});

test("results decide at the documented level", () => {
  expect(documented("statistics.md", /its corrected p is below ([\d.]+), and by nothing else/)).toBe(ALPHA);
  expect(adjustFdr([ALPHA, ALPHA / 2])).toEqual([ALPHA, ALPHA]);
});

test("the confidence sequence is tuned for the documented number of users", () => {
  const tuned = documented("decisions.md", /tuned to ([\d,]+) users/);
  const look = { effect: 1, standardError: 0.4, n: 900 };
  expect(alwaysValid(look)).toEqual(alwaysValid({ ...look, expectedUsers: tuned }));
  expect(alwaysValid(look)).not.toEqual(alwaysValid({ ...look, expectedUsers: tuned + 1 }));
});
