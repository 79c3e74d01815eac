import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { codes, exposure, metric, run } from "../test-support/runs.ts";

describe("the SRM gate", () => {
  test("withholds every row when the split differs at p < 0.001", () => {
    const results = run(
      { metrics: [metric("m")] },
      {
        exposures: [exposure("control", 1100), exposure("treatment", 900)],
        metrics: [
          sums({ metric: "m", arm: "control" }, 1100, {}),
          sums({ metric: "m", arm: "treatment" }, 900, { mean: 9 }),
        ],
      },
    );
    expect(results.srm).toMatchObject({
      status: "halted",
      threshold: 0.001,
      observed: { control: 1100, treatment: 900 },
    });
    expect(results.srm.pValue).toBeCloseTo(7.744216431e-6, 12); // chi-square 20 on 1 degree of freedom
    expect(results.results).toEqual({});
    expect(codes(results)).toContain("srm");
  });

  test("passes a split that chance explains", () => {
    const results = run(
      { metrics: [] },
      { exposures: [exposure("control", 1040), exposure("treatment", 960)] },
    );
    expect(results.srm).toMatchObject({ status: "passed", expected: { control: 0.5, treatment: 0.5 } });
    expect(results.srm.pValue).toBeCloseTo(0.0736383, 6); // chi-square 3.2
  });

  test("expects each period's own shares", () => {
    const periods = [
      { startsAt: 0, shares: { control: 0.9, treatment: 0.1 } },
      { startsAt: 9, shares: { control: 0.5, treatment: 0.5 } },
    ];
    const exposures = [
      exposure("control", 900),
      exposure("treatment", 100),
      exposure("control", 500, { period: 1 }),
      exposure("treatment", 500, { period: 1 }),
    ];
    const results = run({ metrics: [] }, { exposures }, { periods });
    expect(results.srm).toMatchObject({ status: "passed", expected: { control: 0.7, treatment: 0.3 } });
    expect(results.srm.pValue).toBeCloseTo(1, 10);
    expect(codes(results)).toContain("allocation-changed");
  });

  test("sets users of an arm without a share apart, so that they never withhold the results of the others", () => {
    const exposures = [exposure("control", 500), exposure("treatment", 500), exposure("ghost", 300)];
    const { srm, health } = run({ metrics: [] }, { exposures });
    expect(srm).toMatchObject({ status: "passed", observed: { control: 500, treatment: 500 } });
    expect(health).toContainEqual(
      expect.objectContaining({
        code: "ineligible-exposures",
        severity: "critical",
        detail: expect.stringContaining("300 in a variant that had no share"),
      }),
    );
  });

  test("counts nobody where no version ever gave anybody a variant", () => {
    expect(run({ metrics: [] }, {}, { periods: [] }).srm).toMatchObject({ status: "passed", observed: {} });
  });

  test("counts test users, and reports the p-value without them", () => {
    const exposures = [exposure("control", 1100, { testUsers: 100 }), exposure("treatment", 1000)];
    const results = run({ metrics: [] }, { exposures });
    expect(results.srm.pValue).toBeLessThan(0.05);
    expect(results.health).toContainEqual(
      expect.objectContaining({ code: "test-events", detail: expect.stringContaining("p-value is 1.0") }),
    );
  });

  test("passes without users: there is no split to check", () => {
    const results = run({ metrics: [metric("m")] }, { exposures: [], firstExposureAt: null });
    expect(results.srm).toMatchObject({ status: "passed", pValue: 1 });
    expect(codes(results)).toContain("metric-collecting");
  });
});
