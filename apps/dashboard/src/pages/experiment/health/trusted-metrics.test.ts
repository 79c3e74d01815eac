import { expect, test } from "vitest";
import type { MetricDefinition } from "../../../api/types.ts";
import { withTrustedSources } from "./trusted-metrics.ts";

test("the named metrics accept trusted sources only, under their next version", () => {
  const metric = (name: string, more: Partial<MetricDefinition> = {}) =>
    ({ name, metric_version: 4, cap: 50, ...more }) as MetricDefinition;
  expect(withTrustedSources([metric("sale"), metric("cost"), metric("signup")], ["signup", "sale"])).toEqual([
    metric("sale", { accept_from: ["signed", "secret", "import"], metric_version: 5 }),
    metric("cost"),
    metric("signup", { accept_from: ["signed", "secret", "import"], metric_version: 5 }),
  ]);
});
