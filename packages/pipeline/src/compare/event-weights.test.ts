import type { ArmMetric, EventWeights, MetricDefinition } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { callers, calls, people, sums, users } from "../test-support/arms.ts";
import { codes, metric, run } from "../test-support/runs.ts";

const N = 300;
const alike = (weight: number): EventWeights => ({ smallest: weight, largest: weight, total: N * weight });

/** Rows of both arms in the form that the kind requires; null: every event counts for one. */
function rowsOf(
  kind: MetricDefinition["kind"],
  weights: readonly (EventWeights | null)[],
): readonly ArmMetric[] {
  return ["control", "treatment"].map((arm, i): ArmMetric => {
    const place = { metric: "m", arm };
    const row =
      kind === "binary"
        ? sums(place, N, { mean: 0.4, variance: 0.24 })
        : kind === "quantile"
          ? callers(place, calls(i + 1))
          : users(place, people(i + 1));
    const own = weights[i];
    return own == null ? row : { ...row, weights: own };
  });
}

function resultsOf(definition: Partial<MetricDefinition>, weights: readonly (EventWeights | null)[]) {
  const metrics = rowsOf(definition.kind ?? "mean", weights);
  return run({ metrics: [metric("m", definition)] }, { metrics });
}

describe("a metric of sampled events", () => {
  test.each<[Partial<MetricDefinition>, readonly (EventWeights | null)[]]>([
    [{ kind: "ratio" }, [alike(10), alike(10)]],
    [{ kind: "ratio" }, [alike(10), null]],
    [{ kind: "mean" }, [alike(10), alike(2)]],
    [{ kind: "quantile", quantile: 0.5 }, [alike(10), alike(10)]],
    [{ kind: "mean", cap: "p99.9" }, [alike(10), alike(10)]],
    [{ kind: "binary" }, [null, null]],
    [{ kind: "ordinal" }, [null, null]],
    [{ kind: "mean", cap: 5 }, [null, null]],
  ])("%j with weights %j has a row", (definition, weights) => {
    const results = resultsOf(definition, weights);
    expect(codes(results).filter((code) => code !== "metric-skewed")).toEqual([]);
    expect(Object.keys(results.results)).toEqual(["m::treatment"]);
  });

  test.each<[Partial<MetricDefinition>, readonly (EventWeights | null)[], string]>([
    [{ kind: "binary" }, [alike(10), alike(10)], "whether a user has any"],
    [{ kind: "binary" }, [null, alike(2)], "whether a user has any"],
    [{ kind: "ordinal" }, [alike(10), alike(10)], "likelier for users with many"],
    [{ kind: "mean", cap: 5 }, [alike(10), alike(10)], "Remove the cap"],
    [{ kind: "mean", cap: "p99.9" }, [alike(10), null], "Remove the cap"],
    [{ kind: "quantile", quantile: 0.5 }, [alike(10), alike(2)], "with different probabilities"],
    [{ kind: "quantile", quantile: 0.5 }, [null, alike(10)], "with different probabilities"],
  ])("%j with weights %j is withheld, with its cause", (definition, weights, why) => {
    const results = resultsOf(definition, weights);
    expect(results.results).toEqual({});
    expect(results.health).toEqual([
      { code: "metric-sampled", severity: "warning", detail: expect.stringContaining(why) },
    ]);
    const largest = Math.max(...weights.map((own) => own?.largest ?? 1));
    expect(results.health[0]!.detail).toContain(`of only ${100 / largest}%`);
  });

  test("is computed where the arm without a weight has no event", () => {
    const [control, treatment] = rowsOf("quantile", [null, alike(10)]);
    const empty = { ...control!, events: 0 };
    const results = run(
      { metrics: [metric("m", { kind: "quantile", quantile: 0.5 })] },
      { metrics: [empty, treatment!] },
    );
    expect(codes(results)).toEqual(["metric-collecting"]);
  });
});

describe("one event", () => {
  /** Users with one call each, of which one stands for `weight` others. */
  const oneIn = (total: number, weight: number): EventWeights => ({ smallest: 1, largest: weight, total });

  test.each([
    [{ smallest: 1, largest: 2 ** 20, total: 2 ** 20 + 899 }, "99.9%"],
    [oneIn(1_000, 51), "5.1%"],
  ])("with weights %j withholds the metric, and is named", (weights, share) => {
    for (const kind of ["mean", "ratio"] as const) {
      const results = resultsOf({ kind }, [null, weights]);
      expect(results.results).toEqual({});
      expect(codes(results)).toEqual(["metric-one-event"]);
      expect(results.health[0]!.detail).toContain(`a single event of treatment`);
      expect(results.health[0]!.detail).toContain(`stands for ${share} of the arm's events`);
    }
  });

  test.each([
    ["up to a twentieth of the arm", [null, oneIn(1_000, 50)]],
    [
      "where all have the same weight, however few they are",
      [alike(1), { smallest: 9, largest: 9, total: 18 }],
    ],
  ] as const)("%s withholds nothing", (_, weights) => {
    expect(codes(resultsOf({ kind: "ratio" }, weights))).not.toContain("metric-one-event");
    expect(Object.keys(resultsOf({ kind: "ratio" }, weights).results)).toEqual(["m::treatment"]);
  });

  test("counts over all periods of its arm", () => {
    const [control, treatment] = rowsOf("ratio", [null, oneIn(400, 30)]);
    const later = { ...treatment!, period: 1, weights: oneIn(400, 1.5) };
    const periods = [0, 1].map((startsAt) => ({ startsAt, shares: { control: 0.5, treatment: 0.5 } }));
    const of = (metrics: readonly ArmMetric[]) =>
      codes(run({ metrics: [metric("m", { kind: "ratio" })] }, { metrics }, { periods }));
    expect(of([control!, treatment!])).toContain("metric-one-event");
    expect(of([control!, treatment!, later])).not.toContain("metric-one-event");
  });
});
