import type { SignalLook } from "@assay/domain";
import { expect, test } from "vitest";
import { describeHarm } from "./describe-harm.ts";
import { SPLIT } from "./look.ts";

const look = (change: Partial<SignalLook>): SignalLook => ({
  ...{
    signal: "error_rate",
    treatment: "concise",
    controlValue: 0.0211,
    treatmentValue: 0.0634,
    acceptable: 0.01,
  },
  ...{ isRelative: false, events: 900, evidence: 1.2 },
  ...change,
});

test.each([
  {
    of: look({}),
    says: "error_rate of concise is 0.0634 against 0.0211 of base: worse by more than 0.01, by evidence that holds at any look.",
  },
  {
    of: look({
      signal: "latency",
      controlValue: 812.34,
      treatmentValue: 1203.4,
      acceptable: 0.2,
      isRelative: true,
    }),
    says: "latency of concise is 1200 against 812 of base: worse by more than 20% of base, by evidence that holds at any look.",
  },
  {
    of: look({ signal: SPLIT, controlValue: 0.7, treatmentValue: 0.3, acceptable: null }),
    says: "Of the exposures of concise and base, 0.3 against 0.7 are shares that the allocation does not give.",
  },
])("$of.signal is described", ({ of, says }) => {
  expect(describeHarm(of, "base")).toBe(says);
});
