import { expect, test } from "vitest";
import type { ExperimentOverview } from "../../api/types.ts";
import { nextStep } from "./next-step.ts";
import { overviewOf } from "./overview-fixture.ts";

const failed = { day: "2026-11-01", outcome: "failed", finished_at: null, detail: null } as const;

test.each<{ name: string; item: Partial<ExperimentOverview>; verb: string | undefined }>([
  {
    name: "has a verb for a state",
    item: { state: "withheld", needs_attention: true },
    verb: "Find the cause",
  },
  { name: "has one for what must be weighed", item: { state: "mixed" }, verb: "Weigh it" },
  {
    name: "has one for an open guardrail",
    item: { state: "better-guardrail-open" },
    verb: "See what is open",
  },
  { name: "has none for what just goes on", item: { state: "running" }, verb: undefined },
  {
    name: "points at a failed night under an older result",
    item: { state: "running", needs_attention: true, last_night: failed },
    verb: "See why the last run failed",
  },
  {
    name: "points at traffic that stopped",
    item: { state: "running", needs_attention: true, is_stale: true },
    verb: "Check the data",
  },
])("nextStep $name", ({ item, verb }) => expect(nextStep(overviewOf(item))?.verb).toBe(verb));
