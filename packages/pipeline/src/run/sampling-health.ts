import {
  type EventWeights,
  type ExperimentUnit,
  type HealthEntry,
  type MetricDefinition,
  UNIT_WORDS,
} from "@assay/domain";
import type { RulingEvent } from "../compare/event-weights.ts";
import { percent } from "../health/share-text.ts";

/** Why a metric of this kind cannot be computed from a sample, and what to do. */
const NO_WEIGHTED_FORM: Readonly<
  Record<MetricDefinition["kind"], (words: { readonly one: string; readonly many: string }) => string>
> = {
  binary: ({ one }) =>
    `whether a ${one} has any cannot be told from a sample. Send all of them, or measure how many there are (kind mean) or their mean (kind ratio)`,
  ordinal: ({ one, many }) =>
    `a ${one}'s mean is known only if one of the ${one}'s events was kept, which is likelier for ${many} with many. Send all of them, or measure the mean over events (kind ratio)`,
  mean: ({ one }) =>
    `a ${one}'s sum is then an estimate, which a cap cuts too often. Remove the cap in a new version of the metric, or send all of them; with one probability for all, the cap may be "p99.9"`,
  quantile: () =>
    "they were kept with different probabilities, while a quantile counts each call once. Sample all calls with one probability, or measure their mean (kind ratio)",
  ratio: () => "",
};

/** Says that the metric cannot be computed from events that a sampler kept. */
export function sampledEntry(
  { name, kind }: Pick<MetricDefinition, "name" | "kind">,
  { largest }: Pick<EventWeights, "largest">,
  unit: ExperimentUnit,
): HealthEntry {
  return {
    code: "metric-sampled",
    severity: "warning",
    detail: `${name} has no row: a sampler kept some of its events with a probability of only ${percent(1 / largest)}, and ${NO_WEIGHTED_FORM[kind](UNIT_WORDS[unit])}.`,
  };
}

/** Says that one event stands for too many. */
export function oneEventEntry(
  { name }: Pick<MetricDefinition, "name">,
  { arm, weight, share }: RulingEvent,
): HealthEntry {
  return {
    code: "metric-one-event",
    severity: "warning",
    detail: `${name} has no row: a single event of ${arm} has a sampling_probability of ${percent(1 / weight)} and so stands for ${percent(share)} of the arm's events. If the probability is wrong, correct the sampler and set the event aside; if it is right, wait for more events, or sample less.`,
  };
}
