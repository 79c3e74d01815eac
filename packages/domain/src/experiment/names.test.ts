import { expect, test } from "vitest";
import { faultTexts } from "../test-support/faults.ts";
import { firstExperiment } from "../test-support/first-experiment.ts";
import type { Experiment } from "./config.ts";
import type { ConfigInput } from "./make-config.ts";
import { createMetric } from "./make-metric.ts";
import { nextVersion } from "./next-version.ts";

const ODD = [" ", "x ", " x", "two\nlines", "a\u0000b", "x\u00a0", "two\u2028lines"];
const faultsOfFirst = (change: Partial<ConfigInput>) => faultTexts(() => firstExperiment(change));
const metric = (businessMetric: string) => [
  createMetric({
    ...({ name: "m", kind: "binary", category: "business", methodDefault: "auto" } as const),
    ...{ metricVersion: 1, sharedOrgWide: false, source: { event: "business_event", businessMetric } },
  }),
];
const variants = (key: string): Partial<ConfigInput> => ({
  allocation: [
    { variant: "a", weight: 1 },
    { variant: key, weight: 1 },
  ],
});
const text = (pointer: string, name: string) =>
  `${pointer} ${JSON.stringify(name)} must be one line, without spaces at its ends.`;

test.each(ODD)("the name %j is refused where a person would not see what is wrong with it", (name) => {
  expect(faultsOfFirst({ name })).toEqual([text("/name", name)]);
  expect(faultsOfFirst(variants(name))).toEqual([text("/variants/1/key", name)]);
  expect(faultsOfFirst({ metrics: metric(name) })).toEqual([text("/metrics/0/source/business_metric", name)]);
});

test.each(["x", "two words", "grüße 👩‍💻", "a/b:c"])("the name %j is accepted", (name) => {
  expect(faultsOfFirst({ ...variants(name), name, metrics: metric(name) })).toEqual([]);
});

test("an experiment of an earlier version keeps its names, and gets no new ones of the kind", () => {
  const { config, ...rest } = firstExperiment({ metrics: metric("paid") });
  const old: Experiment = { ...rest, config: { ...config, name: "old " } };
  const change = (input: Partial<ConfigInput>) => faultTexts(() => nextVersion(old, input, new Set()));
  expect(change({ name: "old ", hypothesis: "h" })).toEqual([]);
  expect(change({ name: "old" })).toEqual([]);
  expect(change({ name: "new " })).toEqual([text("/name", "new ")]);
});
