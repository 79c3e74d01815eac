import { expect, test } from "vitest";
import { faultPointers } from "../test-support/faults.ts";
import { firstExperiment } from "../test-support/first-experiment.ts";
import type { ExperimentConfig } from "./config.ts";
import type { ConfigInput } from "./make-config.ts";
import { nextVersion } from "./next-version.ts";

/** Configs that an earlier version of Assay stored, which did not have the rule yet. */
const STORED: readonly { readonly rule: string; readonly config: Partial<ExperimentConfig> }[] = [
  { rule: "a name has no space at its end", config: { name: "e " } },
  {
    rule: "control has not won",
    config: { status: "stopped", decision: { outcome: "won", variant: "a", note: null } },
  },
  {
    rule: "the first stage of a rollout has a bucket for every arm",
    config: { rollout: { stages: [0.01, 50], minMinutes: 60, stage: 0, since: 0 } },
  },
];

test.each(STORED)(
  "a stored experiment from before the rule that $rule can be changed, and archived",
  ({ config }) => {
    const first = firstExperiment();
    const stored = { ...first, config: { ...first.config, ...config } };
    const faults = (change: Partial<ConfigInput>) =>
      faultPointers(() => nextVersion(stored, change, new Set()));
    expect(faults({ description: "another" })).toEqual([]);
    expect(faults({ status: "stopped" })).toEqual([]);
    expect(faults({ control: "c" })).toEqual(["/control"]);
  },
);
