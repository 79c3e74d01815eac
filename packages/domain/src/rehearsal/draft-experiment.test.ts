import { expect, test } from "vitest";
import { firstVersion } from "../experiment/next-version.ts";
import { planOf, scorePlan } from "../test-support/rehearsals.ts";
import { draftExperiment, survivingTreatments } from "./draft-experiment.ts";
import type { ArmVerdict } from "./report.ts";

const options = { name: "tone", salt: "s", treatments: ["b"], like: null };

test("a draft has control and the chosen arms, with the metrics that were rehearsed", () => {
  const arms = planOf().arms.map((arm) => ({ ...arm, parameters: { temperature: 0 } }));
  const { config } = firstVersion(draftExperiment(planOf({ arms }), options));
  expect(config).toMatchObject({
    ...{ name: "tone", status: "draft", control: "control", unit: "user", bucketCount: 1_000 },
    allocation: [
      { variant: "control", weight: 1 },
      { variant: "b", weight: 1 },
    ],
  });
  expect(config.variants[1]).toMatchObject({
    ...{ key: "b", prompt: "Answer.", variables: { model: "m", temperature: 0 } },
  });
  expect(config.metrics).toMatchObject([
    { name: "quality", role: "primary", margin: null, judge: { rubric: "Is it right?", scale: "1-5" } },
    { name: "cost", source: { field: "cost_usd" } },
    { name: "latency", source: { field: "latency_ms" } },
    { name: "errors", source: { field: "error" } },
  ]);
  const scored = draftExperiment(scorePlan({ margin: 0.3 }), options);
  expect(scored.metrics[0]).toMatchObject({ margin: 0.3 });
});

test("a draft takes unit and metrics over from the experiment whose calls were rehearsed", () => {
  const [metric] = draftExperiment(planOf(), options).metrics;
  const own = { ...metric!, metricVersion: 4 };
  const shared = { ...metric!, name: "shared", metricVersion: 4, sharedOrgWide: true };
  const like = { unit: "conversation", metrics: [own, shared] } as const;
  const draft = draftExperiment(planOf(), { ...options, like });
  expect(draft.unit).toBe("conversation");
  expect(draft.metrics).toEqual([{ ...own, metricVersion: 1 }, shared]);
});

test("treatments that are not worse survive", () => {
  const verdicts = (["worse", "not-worse", "undecided", "invalid"] as const).map(
    (verdict): ArmVerdict => ({
      ...{ treatment: verdict, verdict, fault: null },
      isCheaper: false,
      detail: "",
    }),
  );
  expect(survivingTreatments(verdicts)).toEqual(["not-worse"]);
});
