import { createHash } from "node:crypto";
import type { ArmMetric, FirstExposure, MetricDefinition, TestMethod } from "@assay/domain";
import { expect, test } from "vitest";
import { callers, calls, people, uniforms, users } from "../test-support/arms.ts";
import { judgedMetric, judgedOf } from "../test-support/judged.ts";
import { judgedPeople } from "../test-support/judged-people.ts";
import { metric, run, until } from "../test-support/runs.ts";

const control = { metric: "m", arm: "control" };
const treatment = { metric: "m", arm: "treatment" };

/** Both arms in the form that the kind requires. */
function armsOf(kind: MetricDefinition["kind"]): readonly ArmMetric[] {
  if (kind === "quantile") return [callers(control, calls(1)), callers(treatment, calls(2, 0.1))];
  const valuesOf = (seed: number, shift: number) => {
    const uniform = uniforms(seed);
    if (kind === "binary")
      return Array.from({ length: 300 }, () => ({ y: Number(uniform() < 0.4 + shift / 4) }));
    return kind === "ratio" ? people(seed, shift) : people(seed, shift).map(({ y, d }) => ({ y: y / d }));
  };
  return [users(control, valuesOf(1, 0)), users(treatment, valuesOf(2, 0.1))];
}

const digestOf = (row: unknown) =>
  createHash("sha256").update(JSON.stringify(row)).digest("hex").slice(0, 16);

// Made by the version before conversations and runs became units. One that differs changes what experiments on users compute.
test.each<[MetricDefinition["kind"], TestMethod, digest: string]>([
  ["binary", "auto", "9a48e996f4620328"],
  ["binary", "permutation", "f64e832faee53d48"],
  ["mean", "auto", "4da1f3c0d8ebfeaf"],
  ["mean", "welch_t", "42b99057ab2dbd2e"],
  ["mean", "mann_whitney_u", "fa941379f06f9e49"],
  ["mean", "cluster_bootstrap", "fad80449132817a7"],
  ["ratio", "auto", "500f4450149b7ac7"],
  ["ratio", "ratio_delta", "a463eb853c62fa5e"],
  ["ratio", "cluster_bootstrap", "00a471c6208980f9"],
  ["quantile", "auto", "cb24485487ea3d75"],
  ["quantile", "cluster_bootstrap", "be3d6ced70da53a1"],
  ["ordinal", "auto", "fa941379f06f9e49"],
])("a row of users is as before there were units: %s by %s", (kind, methodDefault, digest) => {
  const { results } = run(
    { metrics: [metric("m", { quantile: 0.5, kind, methodDefault })] },
    { metrics: armsOf(kind) },
  );
  expect(digestOf(results["m::treatment"])).toBe(digest);
});

test("so is a row that people's labels correct", () => {
  const judged = [
    ...judgedPeople(1, { arm: "control", users: 600, good: 0.7, labels: 300 }),
    ...judgedPeople(2, { arm: "treatment", users: 600, good: 0.75, labels: 300 }),
  ];
  const firstExposures = judged.map(
    ({ userId, arm }): FirstExposure => ({
      ...{ userId, arm, period: 0, at: until - 7_200_000, isContaminated: false },
    }),
  );
  const data = { judged: [judgedOf(judged)], firstExposures };
  const { results } = run({ metrics: [judgedMetric({ kind: "ratio" })] }, {}, data);
  expect(results["quality::treatment"]).toMatchObject({ test: "ppi_z" });
  expect(digestOf(results["quality::treatment"])).toBe("34082f6ccae1ac6a");
});
