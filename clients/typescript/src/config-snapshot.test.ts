import { findVariant } from "@assay/bucketing";
import { describe, expect, test } from "vitest";
import { EXPERIMENT_ID, sampleConfig } from "../test-support/sample-config.ts";
import { parseConfig } from "./config-snapshot.ts";

test("an experiment is found by id and by name", () => {
  const snapshot = parseConfig(sampleConfig(7));
  expect(snapshot?.version).toBe(7);
  expect(snapshot?.experiments.get("greeting")).toBe(snapshot?.experiments.get(EXPERIMENT_ID));
  expect(snapshot?.experiments.get("greeting")?.id).toBe(EXPERIMENT_ID);
});

test("an id wins over another experiment's name", () => {
  const [first] = sampleConfig().experiments as unknown[];
  const [second] = sampleConfig(1, { id: "other", name: EXPERIMENT_ID }).experiments as unknown[];
  for (const experiments of [
    [first, second],
    [second, first],
  ]) {
    expect(parseConfig({ config_version: 1, experiments })?.experiments.get(EXPERIMENT_ID)?.id).toBe(
      EXPERIMENT_ID,
    );
  }
});

test.each(["stopped", "archived", "shipped", ""])(
  "an experiment that is %j needs only its id and name, and gives no variant",
  (status) => {
    const experiments = [{ id: EXPERIMENT_ID, name: "greeting", status }];
    const snapshot = parseConfig({ config_version: 1, experiments });
    expect(snapshot?.leftOut).toBe(0);
    for (const key of ["greeting", EXPERIMENT_ID])
      expect(findVariant(snapshot!.experiments.get(key)!, "u")).toBeNull();
  },
);

test.each([{ id: 5 }, { name: undefined }, { status: undefined }])(
  "an experiment that is not running is left out for %j",
  (changes) => {
    const experiments = [{ id: EXPERIMENT_ID, name: "greeting", status: "stopped", ...changes }];
    expect(parseConfig({ config_version: 1, experiments })).toMatchObject({ leftOut: 1 });
  },
);

test("an experiment that is listed a second time under a former name is found by both", () => {
  const [entry] = sampleConfig().experiments as Record<string, unknown>[];
  const experiments = [entry, { ...entry, name: "hello" }];
  const snapshot = parseConfig({ config_version: 1, experiments });
  for (const key of ["greeting", "hello", EXPERIMENT_ID])
    expect(findVariant(snapshot!.experiments.get(key)!, "u")?.key).toBe("short");
});

describe("leaves out an experiment with", () => {
  test.each([
    ["no id", { id: undefined }],
    ["a numeric name", { name: 5 }],
    ["no salt", { salt: null }],
    ["no buckets at all", { bucket_count: 0 }],
    ["half a bucket", { bucket_count: 1.5 }],
    ["a bucket map of text", { buckets: "all" }],
    ["a run without an owner", { buckets: [[100]] }],
    ["a run that is text", { buckets: [["100", "1"]] }],
    ["no variants", { variants: undefined }],
    ["one unreadable variant", { variants: [{ key: "a" }, null] }],
  ])("%s", (_name, changes) => {
    expect(parseConfig(sampleConfig(1, changes))).toMatchObject({ version: 1, leftOut: 1 });
    expect(parseConfig(sampleConfig(1, changes))?.experiments.size).toBe(0);
  });
});

test.each([
  undefined,
  null,
  5,
  "config",
  [],
  {},
  { config_version: "1", experiments: [] },
  { config_version: 1 },
])("%j is not a config", (body) => expect(parseConfig(body)).toBeNull());
