import { expect, test } from "vitest";
import type { Experiment } from "../../api/types.ts";
import { snippetFacts } from "./snippet-facts.ts";
import { starterExperiment } from "./starter-experiment.ts";

const experimentOf = (change: Partial<Experiment>): Experiment => ({
  ...starterExperiment([]),
  id: "0192a000-0000-7000-8000-000000000000",
  version: 1,
  created_at: "2026-11-01T00:00:00.000Z",
  updated_at: "2026-11-01T00:00:00.000Z",
  effective_allocation: {},
  is_demo: false,
  coverage: 1,
  description: null,
  decision: null,
  ...change,
});

const metric = (change: object) =>
  ({ ...starterExperiment([]).metrics[0], ...change }) as Experiment["metrics"][number];

test.each([
  {
    name: "the first business metric",
    metrics: [metric({ source: { event: "model_call", field: "error" } }), metric({})],
    outcome: { name: "thumbs_up", hasValue: false },
  },
  {
    name: "the event's name, not the metric's",
    metrics: [
      metric({
        name: "revenue",
        kind: "mean",
        source: { event: "business_event", business_metric: "order" },
      }),
    ],
    outcome: { name: "order", hasValue: true },
  },
  {
    name: "a common outcome when there is none",
    metrics: [],
    outcome: { name: "thumbs_up", hasValue: false },
  },
])("snippetFacts takes $name", ({ metrics, outcome }) =>
  expect(snippetFacts(experimentOf({ metrics }), null, "").outcome).toEqual(outcome),
);

test("snippetFacts defaults to control's prompt, unless that would hide the code", () => {
  const promptOf = (prompt: string | null) =>
    snippetFacts(experimentOf({ variants: [{ key: "control", prompt }, { key: "concise" }] }), null, "")
      .defaultPrompt;
  expect(promptOf("Answer kindly.")).toBe("Answer kindly.");
  expect(promptOf("x".repeat(121))).toBe("Your current prompt.");
  expect(promptOf(null)).toBe("Your current prompt.");
});

test("the starter takes a name that is free", () => {
  expect(starterExperiment([]).name).toBe("first-experiment");
  expect(starterExperiment(["first-experiment", "first-experiment-2"]).name).toBe("first-experiment-3");
});
