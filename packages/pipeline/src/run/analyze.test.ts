import { dayOf, priceFingerprint } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { codes, metric, run } from "../test-support/runs.ts";

describe("rows", () => {
  const two = (name: string, control: object, treatment: object) => [
    sums({ metric: name, arm: "control" }, 1000, control),
    sums({ metric: name, arm: "treatment" }, 1000, treatment),
  ];

  test("carry effect, interval, relative effect and both p-values", () => {
    const results = run(
      { metrics: [metric("m")] },
      { metrics: two("m", { mean: 10, variance: 4 }, { mean: 10.5, variance: 4 }) },
    );
    const row = results.results["m::treatment"];
    expect(row).toMatchObject({
      test: "welch_t",
      control: "control",
      nPerArm: { control: 1000, treatment: 1000 },
      eventsPerArm: { control: 1000, treatment: 1000 },
      significant: true,
      verdict: "better",
      preliminary: false,
      permutationsUsed: 0,
      sampleCapUsed: 0,
      retentionTruncated: false,
      windowDays: 1,
      srmP: results.srm.pValue,
    });
    expect(row?.effect).toBeCloseTo(0.5, 12);
    expect(row?.relativeEffect).toBeCloseTo(0.05, 12);
    const half = 1.961152 * Math.sqrt(0.008); // t quantile .975 at 1,998 degrees of freedom
    expect(row?.ciLow).toBeCloseTo(0.5 - half, 6);
    expect(row?.ciHigh).toBeCloseTo(0.5 + half, 6);
    expect(row?.mde).toBeCloseTo(2.8015852 * Math.sqrt(0.008), 6);
    expect(row?.ciSeqLow).toBeLessThan(row?.ciLow ?? 0);
    expect(row?.pValueSeq).toBeGreaterThan(row?.pValue ?? 1);
  });

  test.each([
    { desired: "increase", treatment: 11, verdict: "better" },
    { desired: "increase", treatment: 9, verdict: "worse" },
    { desired: "decrease", treatment: 9, verdict: "better" },
    { desired: "decrease", treatment: 11, verdict: "worse" },
    { desired: "decrease", treatment: 10, verdict: "inconclusive" },
  ] as const)(
    "a mean of $treatment against 10 is $verdict when $desired is desired",
    ({ desired, treatment, verdict }) => {
      const results = run(
        { metrics: [metric("m", { desired })] },
        { metrics: two("m", { mean: 10 }, { mean: treatment }) },
      );
      expect(results.results["m::treatment"]?.verdict).toBe(verdict);
    },
  );

  test("are decided on the corrected p-value over all metrics and treatments of the run", () => {
    const arms = ["control", "a", "b"];
    const metrics = ["m1", "m2", "m3"].map((name) => metric(name));
    // One row with p ≈ .03 among five without an effect: significant alone, but not after the correction
    // over six.
    const data = metrics.flatMap(({ name }) =>
      arms.map((arm) =>
        sums({ metric: name, arm }, 1000, { mean: name === "m1" && arm === "a" ? 0.097 : 0 }),
      ),
    );
    const results = run({ metrics, arms }, { metrics: data });
    const row = results.results["m1::a"];
    expect(Object.keys(results.results)).toEqual(["m1::a", "m1::b", "m2::a", "m2::b", "m3::a", "m3::b"]);
    expect(row?.pValue).toBeLessThan(0.05);
    expect(row?.pValueFdr).toBeCloseTo((row?.pValue ?? 0) * 6, 10);
    expect(row).toMatchObject({ significant: false, verdict: "inconclusive" });
  });

  test("compare only the control and the treatment of the row", () => {
    const arms = ["control", "a", "b"];
    const data = arms.map((arm, index) => sums({ metric: "m", arm }, 1000, { mean: index }));
    const row = run({ metrics: [metric("m")], arms }, { metrics: data }).results["m::b"];
    expect(Object.keys(row?.distribution ?? {})).toEqual(["control", "b"]);
    expect(row).toMatchObject({ controlValue: 0, treatmentValue: 2 });
  });

  test("are absent, with a remark, for values too large to square", () => {
    const data = two("m", { mean: Number.NaN, variance: Number.NaN }, { mean: 1 });
    const results = run({ metrics: [metric("m")] }, { metrics: data });
    expect(results.results).toEqual({});
    expect(codes(results)).toEqual(["metric-degenerate"]);
  });
});

test("every run says which prices it used", () => {
  const price = {
    model: "m",
    effectiveFrom: dayOf(0),
    inputUsdPerMillion: 1,
    cachedInputUsdPerMillion: null,
    outputUsdPerMillion: 2,
    reasoningUsdPerMillion: null,
    cacheWrite5mUsdPerMillion: null,
    cacheWrite1hUsdPerMillion: null,
    audioInputUsdPerMillion: null,
    audioOutputUsdPerMillion: null,
  };
  const prices = { asOf: dayOf(0), prices: [price] };
  const { priceList } = run({ metrics: [] }, {}, { prices });
  expect(priceList).toEqual({ asOf: "1970-01-01", fingerprint: priceFingerprint(prices) });
  expect(run({ metrics: [] }, {}).priceList.fingerprint).not.toBe(priceList.fingerprint);
});
