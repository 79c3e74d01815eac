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
    acceptable: 0.05,
  },
  ...{ isRelative: false, events: 900, evidence: 1.2 },
  ...change,
});

test.each([
  {
    of: look({}),
    says: "The share of failed calls of concise is 6.34% against 2.11% of base: worse by more than 5 percentage points, by evidence that holds at any look.",
  },
  {
    of: look({
      signal: "latency",
      controlValue: 812.34,
      treatmentValue: 1203.4,
      acceptable: 0.2,
      isRelative: true,
    }),
    says: "The mean latency of concise is 1200 ms against 812 ms of base: worse by more than 20% of base, by evidence that holds at any look.",
  },
  {
    of: look({
      signal: "cost_per_call",
      controlValue: 0.002,
      treatmentValue: 0.00403,
      acceptable: 0.2,
      isRelative: true,
    }),
    says: "The mean cost of a call of concise is $0.00403 against $0.002 of base: worse by more than 20% of base, by evidence that holds at any look.",
  },
  {
    of: look({ signal: "refunds", acceptable: 0 }),
    says: "refunds of concise is 0.0634 against 0.0211 of base: worse by more than 0, by evidence that holds at any look.",
  },
  {
    of: look({ signal: SPLIT, controlValue: 0.7, treatmentValue: 0.3, acceptable: null }),
    says: "The exposures of concise and base are split 30% against 70%, which does not match the allocation.",
  },
])("$of.signal is described", ({ of, says }) => {
  expect(describeHarm(of, "base")).toBe(says);
});
