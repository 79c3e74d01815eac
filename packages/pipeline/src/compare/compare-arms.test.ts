import type { MetricDefinition, TestMethod } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { callers, calls, normals, people, sums, uniforms, users } from "../test-support/arms.ts";
import { codes, exposure, metric, run } from "../test-support/runs.ts";

const N = 300;
const control = { metric: "m", arm: "control" };
const treatment = { metric: "m", arm: "treatment" };

function rowOf(definition: Partial<MetricDefinition>, metrics: Parameters<typeof run>[1]["metrics"]) {
  const results = run({ metrics: [metric("m", definition)] }, metrics === undefined ? {} : { metrics });
  return { row: results.results["m::treatment"], codes: codes(results) };
}

/** Data of both arms in the form that the kind requires. */
function dataOf(kind: MetricDefinition["kind"], effect = 0.5) {
  if (kind === "binary")
    return [
      sums(control, N, { mean: 0.4, variance: 0.24 }),
      sums(treatment, N, { mean: 0.4 + effect / 4, variance: 0.25 }),
    ];
  if (kind === "quantile") return [callers(control, calls(1)), callers(treatment, calls(2, effect))];
  const perUser = (seed: number, shift: number) =>
    kind === "ratio" ? people(seed, shift) : people(seed, shift).map(({ y, d }) => ({ y: y / d }));
  return [users(control, perUser(1, 0)), users(treatment, perUser(2, effect))];
}

const METHODS: readonly (readonly [MetricDefinition["kind"], TestMethod, TestMethod])[] = [
  ["binary", "auto", "two_proportion_z"],
  ["binary", "two_proportion_z", "two_proportion_z"],
  ["binary", "fisher_exact", "fisher_exact"],
  ["binary", "permutation", "permutation"],
  ["mean", "auto", "permutation"],
  ["mean", "permutation", "permutation"],
  ["mean", "welch_t", "welch_t"],
  ["mean", "mann_whitney_u", "mann_whitney_u"],
  ["mean", "cluster_bootstrap", "cluster_bootstrap"],
  ["ratio", "auto", "permutation"],
  ["ratio", "ratio_delta", "ratio_delta"],
  ["ratio", "cluster_bootstrap", "cluster_bootstrap"],
  ["quantile", "auto", "cluster_quantile"],
  ["quantile", "cluster_quantile", "cluster_quantile"],
  ["quantile", "cluster_bootstrap", "cluster_bootstrap"],
  ["ordinal", "auto", "mann_whitney_u"],
  ["ordinal", "permutation", "permutation"],
  ["ordinal", "welch_t", "welch_t"],
];

const RELABELS = ["permutation", "cluster_bootstrap", "cluster_quantile"];

describe("a metric's method", () => {
  test.each(METHODS)(
    "%s with %s runs %s and finds a clear effect, and none where there is none",
    (kind, methodDefault, ran) => {
      const found = rowOf({ kind, methodDefault, quantile: 0.5 }, dataOf(kind));
      expect(found.codes).toEqual([]);
      expect(found.row).toMatchObject({ test: ran, nPerArm: { control: N, treatment: N }, sampleCapUsed: 0 });
      expect(found.row!.pValue).toBeLessThan(0.01);
      expect(found.row!.effect).toBeCloseTo(found.row!.treatmentValue - found.row!.controlValue, 9);
      expect(found.row!.ciLow).toBeGreaterThan(0);
      expect(found.row!.permutationsUsed > 0).toBe(RELABELS.includes(ran));
      const none = rowOf({ kind, methodDefault, quantile: 0.5 }, dataOf(kind, 0)).row!;
      expect(none.pValue).toBeGreaterThan(0.05);
      expect([none.ciLow! < 0, none.ciHigh! > 0]).toEqual([true, true]);
    },
  );

  test("an override takes precedence over the default", () => {
    expect(rowOf({ methodDefault: "permutation", method: "welch_t" }, dataOf("mean")).row?.test).toBe(
      "welch_t",
    );
  });

  test("without labels, the kind's own test runs, with a remark", () => {
    const { row, codes: health } = rowOf({ methodDefault: "ppi_z" }, dataOf("mean"));
    expect(row?.test).toBe("permutation");
    expect(health).toEqual(["method-fallback"]);
  });
});

describe("with more users than the sample may hold", () => {
  const sampled = (kind: "mean" | "ratio") =>
    [control, treatment].map((place, arm) => {
      const list = people(arm + 1, arm);
      return users(place, kind === "ratio" ? list : list.map(({ y, d }) => ({ y: y / d })), 200);
    });

  test.each([
    { kind: "mean", ran: "welch_t" },
    { kind: "ratio", ran: "ratio_delta" },
  ] as const)("auto takes the closed form over all users of a $kind", ({ kind, ran }) => {
    expect(rowOf({ kind }, sampled(kind)).row).toMatchObject({
      test: ran,
      sampleCapUsed: 0,
      nPerArm: { control: N, treatment: N },
    });
  });

  test.each(["mean", "ratio"] as const)(
    "an explicit permutation of a %s uses the sample and says so",
    (kind) => {
      const row = rowOf({ kind, method: "permutation" }, sampled(kind)).row!;
      expect(row).toMatchObject({
        test: "permutation",
        sampleCapUsed: 10_000,
        nPerArm: { control: 200, treatment: 200 },
        nTotalPerArm: { control: N, treatment: N },
      });
      const own = (arm: 0 | 1) => people(arm + 1, arm).slice(0, 200);
      const mean = (list: ReturnType<typeof people>) =>
        kind === "ratio"
          ? list.reduce((sum, { y }) => sum + y, 0) / list.reduce((sum, { d }) => sum + d, 0)
          : list.reduce((sum, { y, d }) => sum + y / d, 0) / list.length;
      expect(row.effect).toBeCloseTo(mean(own(1)) - mean(own(0)), 9);
    },
  );
});

describe("data from before the first exposure", () => {
  /**
   * Outcomes that correlate with past behavior, r ≈ .9; only the first `known` users have a past.
   */
  function withPast(seed: number, effect: number, known = N) {
    const normal = normals(seed);
    return Array.from({ length: N }, (_, user) => {
      const before = 20 + 4 * normal();
      const y = before + effect + 2 * normal();
      return user < known ? { y, preY: before } : { y };
    });
  }

  test("narrow the interval of a mean", () => {
    const list = [withPast(1, 1), withPast(2, 2)] as const;
    const adjusted = rowOf({}, [users(control, list[0]), users(treatment, list[1])]).row!;
    const plain = rowOf(
      {},
      [control, treatment].map((place, arm) =>
        users(
          place,
          (list[arm] ?? []).map(({ y }) => ({ y })),
        ),
      ),
    ).row!;
    expect(plain.cuped).toBeNull();
    expect(adjusted.cuped?.coverage).toBe(1);
    expect(adjusted.cuped?.theta).toBeCloseTo(1, 1);
    expect(adjusted.standardError! / plain.standardError!).toBeCloseTo(
      Math.sqrt(1 - adjusted.cuped!.varianceReduction),
      2,
    );
    expect(adjusted.cuped!.varianceReduction).toBeGreaterThan(0.7);
    expect(adjusted.test).toBe("permutation");
  });

  test("narrow the interval of a ratio", () => {
    const ratio = (seed: number) =>
      withPast(seed, 0).map(({ y, preY }, user) => {
        const d = 1 + (user % 3);
        return { y: d * y, d, preY: 2 * (preY ?? 0), preD: 2 };
      });
    const row = rowOf({ kind: "ratio", methodDefault: "ratio_delta" }, [
      users(control, ratio(3)),
      users(treatment, ratio(4)),
    ]).row!;
    expect(row.test).toBe("ratio_delta");
    expect(row.cuped!.varianceReduction).toBeGreaterThan(0.6);
  });

  test("are ignored when few users have any", () => {
    const few = [withPast(1, 0, 50), withPast(2, 0, 50)] as const;
    expect(rowOf({}, [users(control, few[0]), users(treatment, few[1])]).row!.cuped).toBeNull();
  });
});

describe("degenerate data", () => {
  const constant = (place: typeof control, y: number) =>
    users(
      place,
      Array.from({ length: N }, () => ({ y })),
    );

  test("the same value for everybody shows no effect in any test", () => {
    for (const method of ["permutation", "welch_t", "mann_whitney_u", "cluster_bootstrap"] as const) {
      const row = rowOf({ method }, [constant(control, 3), constant(treatment, 3)]).row!;
      expect(row).toMatchObject({ pValue: 1, effect: 0, significant: false });
      expect([row.ciSeqLow, row.pValueSeq, row.mde]).toEqual([null, null, null]);
    }
  });

  test("one value per arm is a certain difference", () => {
    const data = [constant(control, 3), constant(treatment, 4)];
    const permuted = rowOf({}, data).row!;
    expect(permuted).toMatchObject({ effect: 1, significant: true, verdict: "better", pFloor: true });
    expect(permuted.pValue).toBeCloseTo(1 / 2001, 12);
    expect(rowOf({ method: "welch_t" }, data).row!.pValue).toBeLessThan(1e-100);
  });

  test("values near the largest double give numbers or nothing, never NaN", () => {
    const uniform = uniforms(9);
    const huge = (place: typeof control) =>
      users(
        place,
        Array.from({ length: N }, () => ({ y: 1e300 * uniform() })),
      );
    const { row } = rowOf({}, [huge(control), huge(treatment)]);
    expect(row).toBeDefined();
    for (const value of Object.values(row!)) if (typeof value === "number") expect(value).not.toBeNaN();
    expect(JSON.stringify(row)).not.toContain('"effect":null');
  });

  test("small expected cells over several periods are permuted within each", () => {
    const periods = [
      { startsAt: 0, shares: { control: 0.5, treatment: 0.5 } },
      { startsAt: 9, shares: { control: 0.4, treatment: 0.6 } },
    ];
    const rare = [control, treatment].flatMap((place) =>
      [0, 1].map((period) => sums({ ...place, period }, 40, { mean: 0.1, variance: 0.09, events: 400 })),
    );
    const exposures = rare.map(({ arm, period }) => exposure(arm, 40, { period }));
    const { results } = run(
      { metrics: [metric("m", { kind: "binary" })] },
      { metrics: rare, exposures },
      { periods },
    );
    expect(results["m::treatment"]).toMatchObject({ test: "permutation", periods: 2 });
  });

  test("a quantile without any user's calls has no row", () => {
    const data = [sums(control, N), sums(treatment, N)];
    expect(rowOf({ kind: "quantile", quantile: 0.5 }, data)).toEqual({
      row: undefined,
      codes: ["metric-degenerate"],
    });
  });

  test("one user with a million calls counts as one user", () => {
    const list = people(1);
    const heavy = [{ y: 1e6 * 12, d: 1e6 }, ...list.slice(1)];
    const row = rowOf({ kind: "ratio" }, [users(control, list), users(treatment, heavy)]).row!;
    expect(row.treatmentValue).toBeCloseTo(12, 1);
    expect(row.pValue).toBeGreaterThan(0.05);
    expect(row.ciHigh! - row.ciLow!).toBeGreaterThan(1);
  });
});

test.each(["cluster_quantile", "cluster_bootstrap"] as const)(
  "a quantile has no row by %s when one user makes a tenth of an arm's calls, and the run says why",
  (methodDefault) => {
    const own = calls(3);
    const total = own.reduce((sum, { length }) => sum + length, 0);
    const owner = new Array<number>(total).fill(9);
    const results = run(
      { metrics: [metric("m", { kind: "quantile", methodDefault, quantile: 0.5 })] },
      {
        metrics: [
          callers({ metric: "m", arm: "control" }, calls(2)),
          callers({ metric: "m", arm: "treatment" }, [owner, ...own]),
        ],
      },
    );
    expect(results.results).toEqual({});
    expect(codes(results)).toEqual(["metric-one-user"]);
    expect(results.health[0]?.detail).toMatch(/one user makes more than a tenth/);
  },
);

describe("values dominated by a few users", () => {
  const uniform = uniforms(11);
  /** One in twenty pays, and most of them pay little. */
  const payers = (count: number) =>
    Array.from({ length: count }, () => ({ y: uniform() < 0.05 ? 30 * (1 / uniform()) ** 0.7 : 0 }));
  const few = [users(control, payers(1_800)), users(treatment, payers(200))];
  const cheap = { margin: 3, desired: "increase" } as const;
  const entry = (results: ReturnType<typeof run>) =>
    results.health.find(({ code }) => code === "metric-skewed")?.detail;
  const runOf = (definition: Partial<MetricDefinition>, metrics = few) =>
    run({ metrics: [metric("m", definition)] }, { metrics });

  test.each([
    { methodDefault: "auto", test: "permutation" },
    { methodDefault: "welch_t", test: "welch_t" },
    { methodDefault: "cluster_bootstrap", test: "cluster_bootstrap" },
  ] as const)("allow no one-sided and no any-time claim by $test, and the run says what to do", (of) => {
    const results = runOf({ ...cheap, methodDefault: of.methodDefault });
    const row = results.results["m::treatment"]!;
    expect(row).toMatchObject({ test: of.test, ciSeqLow: null, ciSeqHigh: null, pValueSeq: null });
    expect(row.nonInferiority).toEqual({
      margin: 3,
      worstLoss: null,
      isNotWorse: false,
      isNotWorseSeq: false,
    });
    expect(row.usersForSkew).toBeGreaterThan(200);
    expect(row.ciLow).not.toBeNull();
    expect(entry(results)).toMatch(
      new RegExp(
        `a few users weigh too much.*has 200 users.*p99.9.*has ${row.usersForSkew!.toLocaleString("en-US")} users`,
      ),
    );
  });

  test("a capped metric gets only the advice to wait", () => {
    expect(entry(runOf({ ...cheap, cap: "p99.9" }))).not.toMatch(/Set a cap/);
  });

  test("such claims need enough users, or values without a tail", () => {
    const normal = normals(8);
    const even = (count: number) => Array.from({ length: count }, () => ({ y: 10 + normal() }));
    const results = runOf(cheap, [users(control, even(1_800)), users(treatment, even(200))]);
    const row = results.results["m::treatment"]!;
    expect(row.usersForSkew).toBeLessThan(200);
    expect(row.nonInferiority).toMatchObject({ isNotWorse: true });
    expect(row.pValueSeq).not.toBeNull();
    expect(entry(results)).toBeUndefined();
  });

  test.each(["auto", "ratio_delta", "cluster_bootstrap"] as const)(
    "the same holds for ratios, by y − R d, with %s",
    (methodDefault) => {
      const ratio = { kind: "ratio", methodDefault, ...cheap } as const;
      const even = (seed: number, count: number) =>
        users(seed === 1 ? control : treatment, people(seed, 0, count));
      const settled = runOf(ratio, [even(1, 900), even(2, 400)]).results["m::treatment"]!;
      expect(settled.usersForSkew).toBeLessThan(400);
      expect(settled.pValueSeq).not.toBeNull();
      expect(runOf(ratio).results["m::treatment"]).toMatchObject({ pValueSeq: null });
    },
  );

  test("above the sample cap, the sample's skewness and the number of all users count", () => {
    const sampled = [users(control, payers(900), 300), users(treatment, payers(300), 100)];
    for (const kind of ["mean", "ratio"] as const) {
      const row = runOf({ kind, ...cheap }, sampled).results["m::treatment"]!;
      expect(row.nPerArm).toEqual({ control: 900, treatment: 300 });
      expect(row.usersForSkew).toBeGreaterThan(300);
      expect(row.pValueSeq).toBeNull();
    }
  });

  test("between arms of equal size the tails cancel, so few users are enough", () => {
    const amounts = (count: number) => Array.from({ length: count }, () => ({ y: 1 / uniform() ** 0.3 }));
    const evenly = [users(control, amounts(400)), users(treatment, amounts(400))];
    const row = runOf(cheap, evenly).results["m::treatment"]!;
    expect(row.usersForSkew).toBeLessThan(400);
    expect(row.pValueSeq).not.toBeNull();
    const unevenly = [users(control, amounts(1_800)), users(treatment, amounts(200))];
    expect(runOf(cheap, unevenly).results["m::treatment"]!.pValueSeq).toBeNull();
  });

  test("rank tests are not affected", () => {
    const row = runOf({ methodDefault: "mann_whitney_u" }).results["m::treatment"]!;
    expect(row.usersForSkew).toBeNull();
    expect(row.pValueSeq).not.toBeNull();
  });

  test("the interval of a margin uses all permutations", () => {
    const same = (seed: number) => users(seed === 1 ? control : treatment, people(seed));
    const used = (margin: number | null) =>
      runOf({ margin }, [same(1), same(2)]).results["m::treatment"]!.permutationsUsed;
    expect(used(null)).toBeLessThan(used(1));
  });
});
