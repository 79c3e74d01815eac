import { expect, test } from "vitest";
import { EXPERIMENT_ID, sampleConfig } from "../test-support/sample-config.ts";
import { findAssignmentIn } from "./find-assignment-in.ts";

test("finds the same variant in a config as a client with it", () => {
  const config = sampleConfig();
  for (const experiment of ["greeting", EXPERIMENT_ID])
    expect(findAssignmentIn(config, experiment, "u")).toMatchObject({
      experimentId: EXPERIMENT_ID,
      variant: { key: "short" },
    });
  expect(findAssignmentIn(config, "unknown", "u")).toBeNull();
  expect(findAssignmentIn(sampleConfig(1, { status: "stopped" }), "greeting", "u")).toBeNull();
});

test.each([undefined, null, "config", 3, {}, []])("finds nothing in %j", (config) => {
  expect(findAssignmentIn(config, "greeting", "u")).toBeNull();
});
