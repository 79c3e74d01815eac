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
  [{ unit: "€" }, -12.5, "\u2212€12.5"],
  [{ unit: "orders", kind: "binary" }, 0.125, "12.5%"],
  [{ unit: "orders", category: "cost", source: tokens }, 12, "12\u00a0tokens"],
])("%j has %d as %s", (given, value, written) => {
  expect(unitOf(metric(given)).value(value)).toBe(written);
});

test("the same unit has the same function, so that charts are not redrawn", () => {
  expect(unitOf(metric({ unit: "orders" })).value).toBe(unitOf(metric({ unit: "orders" })).value);
});
