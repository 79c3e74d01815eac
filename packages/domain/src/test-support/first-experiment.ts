import type { Experiment } from "../experiment/config.ts";
import type { ConfigInput } from "../experiment/make-config.ts";
import { firstVersion } from "../experiment/next-version.ts";

/** Two arms of the same weight, in 100 buckets. */
export const TWO_ARMS: ConfigInput = {
  ...{ name: "e", salt: "s", bucketCount: 100, metrics: [] },
  allocation: [
    { variant: "a", weight: 1 },
    { variant: "b", weight: 1 },
  ],
};

/** Version 1 of an experiment with two arms, made at the instant 0. */
export const firstExperiment = (change: Partial<ConfigInput> = {}): Experiment => ({
  ...{ id: "e1", orgId: "o", version: 1, servedAt: null, isDemo: false, createdAt: 0, updatedAt: 0 },
  ...firstVersion({ ...TWO_ARMS, ...change }),
});
