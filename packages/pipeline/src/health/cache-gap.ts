import type { ArmHealth, HealthCheck } from "@assay/domain";
import { armShares, exposedArms, type HealthFacts } from "./facts.ts";
import { percent } from "./share-text.ts";

/** Ten points of cached input: at a tenth of the price, that is 9% of the input cost. */
const THRESHOLD = 0.1;
/** With fewer completed calls, an arm's cache is still warming up. */
const MIN_CALLS = 100;

/** Compares the arms' share of input tokens that came from the provider's cache. */
export function cacheGapCheck(facts: HealthFacts): HealthCheck {
  const { control } = facts.experiment.config;
  const health = exposedArms(facts);
  const arms = armShares(
    facts,
    health.map(({ arm, cachedInputTokens, inputTokens }) => ({
      arm,
      // Some senders report cached tokens separately from other input tokens.
      count: Math.min(cachedInputTokens, inputTokens),
      of: inputTokens,
    })),
  );
  const base = { code: "cache-hit-gap", measure: "gap", threshold: THRESHOLD, since: null, arms } as const;
  const ofControl = arms[control]?.share ?? null;
  const widest = Object.entries(arms)
    .flatMap(([arm, { share }]) =>
      arm === control || share === null || ofControl === null
        ? []
        : [{ arm, share, gap: Math.abs(share - ofControl) }],
    )
    .sort((a, b) => b.gap - a.gap)[0];
  if (widest === undefined || ofControl === null) {
    const detail = "Control and a treatment must both report input tokens first.";
    return { ...base, severity: "no-data", detail, action: null, value: null };
  }
  const isWide = widest.gap >= THRESHOLD;
  const isProven = [control, widest.arm].every((arm) => completedCalls(health, arm) >= MIN_CALLS);
  return {
    ...base,
    severity: !isWide ? "ok" : isProven ? "warning" : "info",
    detail: `${percent(ofControl)} of the input tokens of ${control} came from the provider's cache, compared with ${percent(widest.share)} for ${widest.arm}.`,
    action: isWide
      ? "Latency and cost now compare the caches as much as the prompts. Give the arms equal traffic, put fixed text first in each prompt, and run both until their caches are warm."
      : null,
    value: widest.gap,
  };
}

function completedCalls(health: readonly ArmHealth[], arm: string): number {
  return health.find((row) => row.arm === arm)!.completedCalls;
}
