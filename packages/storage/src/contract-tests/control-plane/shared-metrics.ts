import { createMetric, type MetricDefinition } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { newOrg, ODD_TEXT } from "./fixtures.ts";

const metricOf = (name: string, change: Partial<MetricDefinition> = {}): MetricDefinition =>
  createMetric({
    name,
    kind: "mean",
    category: "business",
    methodDefault: "auto",
    metricVersion: 1,
    sharedOrgWide: true,
    ...change,
  });

export function sharedMetricContract(engine: () => Engine): void {
  describe("shared metrics", () => {
    test("are read as they were stored, in their own org", async () => {
      const [first, second] = engine().planes;
      const [orgId, other] = [await newOrg(first), await newOrg(first)];
      const metric = metricOf("spent", {
        description: ODD_TEXT,
        acceptFrom: ["signed", "import"],
        cap: "p99.9",
      });
      await first.sharedMetrics.put(orgId, metric);
      expect(await second.sharedMetrics.get(orgId, "spent")).toEqual(metric);
      expect(await second.sharedMetrics.list(orgId)).toEqual([metric]);
      expect(await second.sharedMetrics.list(other)).toEqual([]);
      await expect(second.sharedMetrics.get(other, "spent")).rejects.toMatchObject({
        kind: "metric-not-found",
      });
    });

    test("have one definition per name: the last one stored", async () => {
      const [first, second] = engine().planes;
      const [orgId, other] = [await newOrg(first), await newOrg(first)];
      const next = metricOf("spent", { kind: "ratio", metricVersion: 2 });
      for (const org of [orgId, other]) await first.sharedMetrics.put(org, metricOf("spent"));
      await second.sharedMetrics.put(orgId, next);
      expect(await first.sharedMetrics.list(orgId)).toEqual([next]);
      expect(await first.sharedMetrics.list(other)).toEqual([metricOf("spent")]);
    });

    test("are listed in the order of their names' code points", async () => {
      const [plane] = engine().planes;
      const orgId = await newOrg(plane);
      // A locale would put a before B and ignore the hyphen.
      const names = ["B", "a", "a-c", "a.b", "aB", "ab"];
      for (const name of names.toReversed()) await plane.sharedMetrics.put(orgId, metricOf(name));
      expect((await plane.sharedMetrics.list(orgId)).map(({ name }) => name)).toEqual(names);
    });
  });
}
