import type { ExperimentConfig } from "../experiment/config.ts";
import type { ConfigInput } from "../experiment/make-config.ts";
import { createMetric } from "../experiment/make-metric.ts";
import type { MetricDefinition } from "../experiment/metric.ts";
import { DEFAULT_SAMPLE_RATE } from "../judge/judge.ts";
import type { RehearsalPlan } from "./rehearsal.ts";
import type { ArmVerdict } from "./report.ts";

const BUCKETS = 1_000;

interface DraftOptions {
  readonly name: string;
  readonly salt: string;
  /** Names of the arms to test against control. */
  readonly treatments: readonly string[];
  /** The experiment whose calls were rehearsed; the draft copies its metrics and unit. Null: there is none. */
  readonly like: Pick<ExperimentConfig, "metrics" | "unit"> | null;
}

/** Drafts an experiment that tests arms of a rehearsal on users. Variants have the arms' names, and equal shares. */
export function draftExperiment(
  plan: Pick<RehearsalPlan, "arms" | "judge" | "margin">,
  { name, salt, treatments, like }: DraftOptions,
): ConfigInput {
  const arms = plan.arms.filter((arm, index) => index === 0 || treatments.includes(arm.name));
  return {
    ...{ name, salt, bucketCount: BUCKETS, status: "draft", control: arms[0]!.name },
    ...(like && { unit: like.unit }),
    allocation: arms.map((arm) => ({ variant: arm.name, weight: 1 })),
    variants: arms.map(({ name: key, prompt, model, parameters }) => ({
      key,
      prompt,
      variables: { model, ...parameters },
    })),
    metrics: like === null ? rehearsedMetrics(plan) : like.metrics.map(anew),
  };
}

/** Metric versions are numbered per experiment, or per org for a shared metric, so an unshared metric starts at 1 again. */
const anew = (metric: MetricDefinition): MetricDefinition =>
  metric.sharedOrgWide ? metric : { ...metric, metricVersion: 1 };

/** Converts what a rehearsal measures into an experiment's metrics. */
function rehearsedMetrics({ judge, margin }: Pick<RehearsalPlan, "judge" | "margin">) {
  const common = { kind: "ratio", methodDefault: "auto", metricVersion: 1, sharedOrgWide: false } as const;
  const { rubric, scale, mode } = judge;
  return [
    createMetric({
      ...{ ...common, name: "quality", category: "quality", role: "primary" },
      judge: { rubric, scale, sampleRate: DEFAULT_SAMPLE_RATE },
      // A margin on preferences has a different unit.
      margin: mode === "score" ? margin : null,
    }),
    createMetric({ ...common, name: "cost", category: "cost" }),
    createMetric({ ...common, name: "latency", category: "latency" }),
    createMetric({ ...common, name: "errors", category: "reliability" }),
  ];
}

/** Lists the treatments that a rehearsal found not to be worse. */
export function survivingTreatments(verdicts: readonly ArmVerdict[]): readonly string[] {
  return verdicts.filter(({ verdict }) => verdict === "not-worse").map(({ treatment }) => treatment);
}
