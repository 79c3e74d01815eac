import type { ArmMetric, FirstExposure, MetricDefinition, TestMethod, UserValues } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { splitterOf } from "../replay/split-users.ts";
import { carryOverEntry } from "../run/metric-health.ts";
import { callers, calls, normals, people, uniforms, users } from "../test-support/arms.ts";
import { judgedMetric, judgedOf } from "../test-support/judged.ts";
import { judgedPeople } from "../test-support/judged-people.ts";
import { codes, metric, run, until } from "../test-support/runs.ts";
import { armData, clustersOf, toStrata } from "./arm-data.ts";

const N = 300;
const control = { metric: "m", arm: "control" };
const treatment = { metric: "m", arm: "treatment" };

/** Gives an arm's units their users: unit i belongs to user `userOf(i)`. */
function owned(row: ArmMetric, userOf: (unit: number) => number): ArmMetric {
  const { sample } = row;
  const units = sample?.type === "bins" ? sample.offsets.length - 1 : sample!.y.length;
  return {
    ...row,
    sample: { ...sample!, clusters: Float64Array.from({ length: units }, (_, i) => userOf(i)) },
  };
}

const HUNDRED = (unit: number) => unit % 100;

function rowOf(definition: Partial<MetricDefinition>, metrics: readonly ArmMetric[]) {
  const results = run({ metrics: [metric("m", { quantile: 0.5, ...definition })] }, { metrics });
  return { row: results.results["m::treatment"], codes: codes(results), health: results.health };
}

/** Both arms in the form that the kind requires. */
function armsOf(kind: MetricDefinition["kind"], effect: number): readonly [ArmMetric, ArmMetric] {
  if (kind === "quantile") return [callers(control, calls(1)), callers(treatment, calls(2, effect))];
  const valuesOf = (seed: number, shift: number) => {
    const uniform = uniforms(seed);
    if (kind === "binary")
      return Array.from({ length: N }, () => ({ y: Number(uniform() < 0.4 + shift / 4) }));
    return kind === "ratio" ? people(seed, shift) : people(seed, shift).map(({ y, d }) => ({ y: y / d }));
  };
  return [users(control, valuesOf(1, 0)), users(treatment, valuesOf(2, effect))];
}

const METHODS: readonly (readonly [MetricDefinition["kind"], TestMethod, TestMethod])[] = [
  ["binary", "auto", "two_proportion_z"],
  ["binary", "permutation", "permutation"],
  ["mean", "auto", "permutation"],
  ["mean", "welch_t", "welch_t"],
  ["mean", "mann_whitney_u", "mann_whitney_u"],
  ["mean", "cluster_bootstrap", "cluster_bootstrap"],
  ["ratio", "auto", "permutation"],
  ["ratio", "ratio_delta", "ratio_delta"],
  ["ratio", "cluster_bootstrap", "cluster_bootstrap"],
  ["quantile", "auto", "cluster_quantile"],
  ["quantile", "cluster_bootstrap", "cluster_bootstrap"],
  ["ordinal", "auto", "mann_whitney_u"],
];

describe("units of a hundred users, who are in both arms", () => {
  test.each(METHODS)("%s with %s runs %s, with the users' error", (kind, methodDefault, ran) => {
    const [c, t] = armsOf(kind, 0.5);
    const independent = rowOf({ kind, methodDefault }, [c, t]).row!;
    const found = rowOf({ kind, methodDefault }, [owned(c, HUNDRED), owned(t, HUNDRED)]);
    expect(found.codes).toEqual([]);
    expect(found.row).toMatchObject({
      test: ran,
      effect: independent.effect,
      nPerArm: { control: N, treatment: N },
      usersPerArm: { control: 100, treatment: 100 },
    });
    expect(found.row!.standardError).not.toBe(independent.standardError);
    // Users do not differ here, so their error is that of units up to chance.
    expect(found.row!.standardError! / independent.standardError!).toBeGreaterThan(0.75);
    expect(found.row!.standardError! / independent.standardError!).toBeLessThan(1.3);
    expect(found.row!.pValue).toBeLessThan(0.02);
    expect(found.row!.ciLow).toBeGreaterThan(0);
    expect(found.row!.pValueSeq).toBeLessThan(1);
    const same = armsOf(kind, 0).map((row) => owned(row, HUNDRED));
    expect(rowOf({ kind, methodDefault }, same).row!.pValue).toBeGreaterThan(0.05);
  });

  test.each(METHODS)("%s with %s: one unit per user changes nothing but says so", (kind, methodDefault) => {
    const [c, t] = armsOf(kind, 0.5);
    const plain = rowOf({ kind, methodDefault }, [c, t]).row!;
    const single = rowOf({ kind, methodDefault }, [owned(c, (unit) => unit), owned(t, (unit) => N + unit)])
      .row!;
    expect(plain).not.toHaveProperty("usersPerArm");
    expect(single).toEqual({ ...plain, usersPerArm: { control: N, treatment: N } });
  });

  test("whose levels differ are compared with themselves", () => {
    const normal = normals(3);
    const levels = Array.from({ length: 100 }, () => 10 * normal());
    const arm = (effect: number) =>
      Array.from({ length: N }, (_, i) => ({ y: 50 + levels[i % 100]! + effect + normal() }));
    const [c, t] = [users(control, arm(0)), users(treatment, arm(1))];
    const definition = { methodDefault: "welch_t" } as const;
    expect(rowOf(definition, [c, t]).row!.pValue).toBeGreaterThan(0.1);
    expect(rowOf(definition, [owned(c, HUNDRED), owned(t, HUNDRED)]).row!.pValue).toBeLessThan(1e-6);
  });

  test("of a sample are compared within it, since sums do not say whose units they are", () => {
    const [, t] = armsOf("ratio", 0.5);
    const sampled = users(control, people(1), 200);
    for (const [kind, ran] of [
      ["mean", "welch_t"],
      ["ratio", "ratio_delta"],
    ] as const) {
      const { row } = rowOf({ kind }, [owned(sampled, HUNDRED), owned(t, HUNDRED)]);
      expect(row).toMatchObject({
        test: ran,
        nPerArm: { control: 200, treatment: N },
        usersPerArm: { control: 100 },
      });
    }
  });
});

describe("shares of units", () => {
  const withSuccesses = (place: typeof control, share: number, owner: (unit: number) => number) =>
    owned(
      users(
        place,
        Array.from({ length: N }, (_, i) => ({ y: Number(i % 10 < 10 * share) })),
      ),
      owner,
    );

  test("with successes of few users are permuted, however many successes these have", () => {
    // Units 0, 10, 20 … succeed, and they all belong to users 1 to 5.
    const owner = (unit: number) => (unit % 10 === 0 ? 1 + ((unit / 10) % 5) : 10 + (unit % 90));
    const arms = [withSuccesses(control, 0.1, owner), withSuccesses(treatment, 0.1, owner)];
    const { row } = rowOf({ kind: "binary" }, arms);
    expect(row).toMatchObject({ test: "permutation", pValue: 1, effect: 0 });
    expect(row!.permutationsUsed).toBeGreaterThan(0);
  });

  test("have no table for Fisher's test, so the permutation runs with a remark", () => {
    const arms = [withSuccesses(control, 0.4, HUNDRED), withSuccesses(treatment, 0.5, HUNDRED)];
    const found = rowOf({ kind: "binary", methodDefault: "fisher_exact" }, arms);
    expect(found.row).toMatchObject({ test: "permutation" });
    expect(found.codes).toEqual(["method-fallback"]);
  });

  test("of one value have p = 1", () => {
    const arms = [withSuccesses(control, 1, HUNDRED), withSuccesses(treatment, 1, HUNDRED)];
    expect(rowOf({ kind: "binary" }, arms).row).toMatchObject({ pValue: 1, standardError: null });
  });
});

describe("rules that count users", () => {
  test("a row needs 20 users in every arm, however many units they have", () => {
    const [c, t] = armsOf("mean", 0.5);
    const [few, enough] = [(unit: number) => unit % 19, (unit: number) => unit % 20];
    const { row, health } = rowOf({}, [owned(c, few), owned(t, enough)]);
    expect(row).toBeUndefined();
    expect(health[0]!.detail).toContain("control 300 events of 19 users, treatment 300 events of 20 users");
    expect(rowOf({}, [owned(c, enough), owned(t, enough)]).row).toBeDefined();
  });

  test("a period needs 30 users in each arm", () => {
    const units = (period: number, userOf: (unit: number) => number) => ({
      control: owned({ ...armsOf("mean", 0)[0], period }, userOf),
      treatment: owned({ ...armsOf("mean", 0)[1], period }, userOf),
    });
    const periods = [units(0, HUNDRED), units(1, (unit) => unit % 29), units(2, (unit) => unit % 30)];
    const { strata, leftOutUsers } = toStrata(
      { control: periods.map((arms) => arms.control), treatment: periods.map((arms) => arms.treatment) },
      [[0], [1], [2]],
    );
    expect(strata.map((stratum) => stratum.periods)).toEqual([[0], [2]]);
    expect(leftOutUsers).toBe(2 * N);
  });

  test("a user with many units weighs with all of them when claims are withheld for skewness", () => {
    const [c, t] = armsOf("mean", 0);
    const even = rowOf({}, [owned(c, HUNDRED), owned(t, HUNDRED)]).row!;
    // Half of the units belong to one user whose values are high.
    const heavy = (row: ArmMetric): ArmMetric => {
      const { sample, ...rest } = row;
      const y = (sample as { y: Float64Array }).y.map((value, unit) => (unit < N / 2 ? value + 2 : value));
      return owned({ ...rest, sample: { ...sample, y } as typeof sample }, (unit) =>
        unit < N / 2 ? 0 : unit % 60,
      );
    };
    const uneven = rowOf({}, [heavy(c), heavy(t)]);
    expect(even.usersForSkew).toBeLessThan(100);
    expect(uneven.row!.usersForSkew).toBeGreaterThan(100);
    expect(uneven.row).toMatchObject({ pValueSeq: null });
    expect(uneven.health[0]!.detail).toContain("the smaller arm has 60 users");
  });

  test.each([
    [30, []],
    [31, ["metric-dominant-user"]],
  ])("a user with %i of an arm's 300 units: %j", (units, remarks) => {
    const [c, t] = armsOf("mean", 0);
    const found = rowOf({}, [owned(c, (unit) => (unit < units ? 0 : unit)), owned(t, HUNDRED)]);
    expect(found.row).toBeDefined();
    expect(found.codes).toEqual(remarks);
  });

  test("a quantile that is one user's, with all units, has no row", () => {
    const [c, t] = armsOf("quantile", 0);
    const owner = (unit: number) => (unit < 40 ? 0 : unit);
    const found = rowOf({ kind: "quantile" }, [owned(c, owner), owned(t, HUNDRED)]);
    expect(found.row).toBeUndefined();
    expect(found.codes).toEqual(["metric-one-user"]);
  });
});

describe("an arm's users", () => {
  const [c] = armsOf("mean", 0);
  const [bins] = armsOf("quantile", 0);
  const second = (row: ArmMetric) => ({ ...row, period: 1 });

  test("are joined over its periods", () => {
    for (const row of [c, bins]) {
      const joined = armData([owned(row, HUNDRED), second(owned(row, (unit) => 1_000 + unit))], [0, 1]);
      expect([...clustersOf(joined)!.slice(N - 1, N + 1)]).toEqual([99, 1_000]);
      expect(clustersOf(joined)).toHaveLength(2 * N);
    }
  });

  test("are unknown if those of a period are", () => {
    expect(clustersOf(armData([owned(c, HUNDRED), second(c)], [0, 1]))).toBeNull();
    expect(clustersOf({ values: null, bins: null })).toBeNull();
  });

  test("stay with their units when a replay splits them", () => {
    for (const row of [c, bins]) {
      const halves = splitterOf(armData([owned(row, HUNDRED)], [0]), N)(5);
      const split = [...clustersOf(halves.control)!, ...clustersOf(halves.treatment)!];
      expect(split.sort((a, b) => a - b)).toEqual(Array.from({ length: N }, (_, i) => Math.floor(i / 3)));
    }
  });
});

describe("judged units", () => {
  const judgedCalls = (labels: number) => [
    ...judgedPeople(1, { arm: "control", users: 600, good: 0.7, labels }),
    ...judgedPeople(2, { arm: "treatment", users: 600, good: 0.7, labels }),
  ];
  const rowOfJudged = (
    labels: number,
    kind: "ratio" | "binary",
    cluster: ((index: number) => number) | null,
  ) => {
    const judged = judgedCalls(labels);
    const firstExposures = judged.map(
      ({ userId, arm }, index): FirstExposure => ({
        ...{ userId, arm, period: 0, at: until - 7_200_000, isContaminated: false },
        ...(cluster && { cluster: cluster(index) }),
      }),
    );
    const metrics = [judgedMetric({ kind })];
    return run({ metrics }, {}, { judged: [judgedOf(judged)], firstExposures }).results[
      "quality::treatment"
    ]!;
  };

  test.each([
    [0, "ratio", "permutation"],
    [300, "ratio", "ppi_z"],
    [0, "binary", "two_proportion_z"],
  ] as const)("with %i labels, kind %s: %s with the error of the users", (labels, kind, ran) => {
    const independent = rowOfJudged(labels, kind, null);
    const shared = rowOfJudged(labels, kind, (index) => index % 150);
    expect(shared).toMatchObject({
      test: ran,
      effect: independent.effect,
      nPerArm: { control: 600, treatment: 600 },
      usersPerArm: { control: 150, treatment: 150 },
    });
    expect(shared.standardError).not.toBe(independent.standardError);
    expect(independent).not.toHaveProperty("usersPerArm");
  });

  test("of one user each have the error of users", () => {
    const independent = rowOfJudged(300, "ratio", null);
    const single = rowOfJudged(300, "ratio", (index) => index);
    expect(single).toEqual({ ...independent, usersPerArm: { control: 600, treatment: 600 } });
  });
});

describe("units that begin one after the other", () => {
  /** Unit i is of user i % 100, in both arms, and begins at any time. */
  const dated = (row: ArmMetric, seed: number): ArmMetric => {
    const uniform = uniforms(seed);
    const { sample, ...own } = owned(row, HUNDRED);
    const values = sample as UserValues;
    return { ...own, sample: { ...values, startedAt: values.y.map(() => uniform()) } };
  };
  const valuesOf = ({ sample }: ArmMetric) => sample as UserValues;

  test.each(["mean", "ratio", "binary"] as const)("%s: the row says what first units show", (kind) => {
    const [c, t] = armsOf(kind, 0.5);
    const { row, codes: found } = rowOf({ kind }, [dated(c, 31), dated(t, 47)]);
    expect(found).toEqual([]);
    const { nPerArm, effect, ciLow, ciHigh } = row!.carryOver!;
    expect(nPerArm.control! + nPerArm.treatment!).toBe(100);
    expect(ciLow < effect && effect < ciHigh).toBe(true);
    expect(Math.abs(effect - row!.effect)).toBeLessThan(ciHigh - effect);
  });

  test("are a warning where the variant of the unit before shows", () => {
    const [c, t] = armsOf("mean", 0);
    const arms = [dated(c, 31), dated(t, 47)];
    const units = arms.flatMap((row, arm) =>
      [...valuesOf(row).startedAt!].map((at, unit) => ({ arm, unit, at, user: HUNDRED(unit) })),
    );
    for (const own of Map.groupBy(units, ({ user }) => user).values()) {
      own.sort((one, other) => one.at - other.at);
      for (const [i, { arm, unit }] of own.entries())
        if (own[i - 1]?.arm === 1) valuesOf(arms[arm]!).y[unit]! += 2;
    }
    const { row, health } = rowOf({}, arms);
    expect(row!.carryOver!.earlierEffect).toBeCloseTo(2, 0);
    expect(health).toContainEqual({
      code: "carry-over",
      severity: "warning",
      detail: expect.stringContaining("depends on the variant that a user had in the unit before"),
    });
  });

  test.each([
    [{ pValue: 0.00099, earlierPValue: 1 }, "differs between the first units of users and all units"],
    [{ pValue: 1, earlierPValue: 0.00099 }, "depends on the variant"],
    [{ pValue: 0.001, earlierPValue: 0.001 }, null],
  ])("%j is said as: %s", (p, said) => {
    const carryOver = { effect: 1, ciLow: 0, ciHigh: 2, nPerArm: {}, earlierEffect: 1, ...p };
    const entries = carryOverEntry("m", { treatment: "t", carryOver });
    expect(entries.map(({ detail }) => detail)).toEqual(said === null ? [] : [expect.stringContaining(said)]);
  });

  test("and of ranks nothing is said", () => {
    const [c, t] = armsOf("ordinal", 0.5);
    expect(rowOf({ kind: "ordinal" }, [dated(c, 31), dated(t, 47)]).row).not.toHaveProperty("carryOver");
  });
});
