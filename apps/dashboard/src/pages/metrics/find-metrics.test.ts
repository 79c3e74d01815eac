import { expect, test } from "vitest";
import { matches, olderVersions, unitsOf } from "./find-metrics.ts";

const experiment = (name: string, version: number) => ({
  id: name,
  name,
  status: "running" as const,
  unit: "user" as const,
  metric_version: version,
  follows: version === 3,
});
const entry = {
  definition: {
    name: "checkout_rate",
    kind: "binary" as const,
    category: "business" as const,
    method_default: "auto" as const,
    metric_version: 3,
    shared_org_wide: true,
    description: "Paid orders",
  },
  used_by: [experiment("Greeting", 3), experiment("Tone", 1), experiment("Length", 2), experiment("Old", 1)],
};

test.each([
  ["", true],
  ["CHECKOUT", true],
  ["binary", true],
  ["orders business", true],
  ["greeting", true],
  ["orders latency", false],
])("the text %j matches: %s", (text, expected) => expect(matches(entry, text)).toBe(expected));

test("names the other versions in use once, newest first", () => {
  expect(olderVersions(entry)).toEqual([2, 1]);
  expect(olderVersions({ ...entry, used_by: [experiment("Greeting", 3)] })).toEqual([]);
});

test("names the units of its experiments once", () => {
  const onRuns = { ...experiment("Agent", 3), unit: "run" as const };
  expect(unitsOf(entry)).toEqual(["user"]);
  expect(unitsOf({ used_by: [onRuns, ...entry.used_by] })).toEqual(["run", "user"]);
  expect(unitsOf({ used_by: [] })).toEqual(["user"]);
});
