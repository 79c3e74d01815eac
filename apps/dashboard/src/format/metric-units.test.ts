import { expect, test } from "vitest";
import type { MetricDefinition } from "../api/types.ts";
import { unitOf } from "./metric-units.ts";

const metric = (given: Partial<MetricDefinition>): MetricDefinition => ({
  ...{ name: "m", kind: "mean", category: "business", method_default: "auto" },
  ...{ metric_version: 1, shared_org_wide: false },
  source: { event: "business_event", business_metric: "m" },
  ...given,
});
const tokens = { event: "model_call", field: "output_tokens" } as const;

test.each<[Partial<MetricDefinition>, number, string]>([
  [{}, 12.5, "12.5"],
  [{ unit: "orders" }, 12.5, "12.5\u00a0orders"],
  [{ unit: "€" }, 12.5, "€12.5"],
  [{ unit: "€" }, -12.5, "\u2212\u2060€12.5"],
  [{ unit: "orders", kind: "binary" }, 0.125, "12.5%"],
  [{ unit: "orders", category: "cost", source: tokens }, 12, "12\u00a0tokens"],
  [{ source: { event: "run", field: "turns" } }, 2.5, "2.5\u00a0turns"],
  [{ source: { event: "run", field: "tool_calls" } }, 1, "1\u00a0call"],
  [{ source: { event: "run", field: "duration_ms" } }, 250, "250\u00a0ms"],
  [{ source: { event: "run", field: "cost_usd" } }, 0.25, "$0.25"],
  [{ source: { event: "run", field: "completed" }, kind: "ratio" }, 0.5, "50%"],
])("%j has %d as %s", (given, value, written) => {
  expect(unitOf(metric(given)).value(value)).toBe(written);
});

test("the same unit has the same function, so that charts are not redrawn", () => {
  expect(unitOf(metric({ unit: "orders" })).value).toBe(unitOf(metric({ unit: "orders" })).value);
});
