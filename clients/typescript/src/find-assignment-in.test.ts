import { expect, test } from "vitest";
import { readVectors } from "../test-support/read-vectors.ts";
import { EXPERIMENT_ID, sampleConfig } from "../test-support/sample-config.ts";
import { findAssignmentIn } from "./find-assignment-in.ts";

interface QaVectors {
  readonly config: unknown;
  readonly cases: readonly {
    readonly overrides: object;
    readonly experiment: string;
    readonly user_id: string;
    readonly variant: string | null;
  }[];
}

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

test("finds the variants of QA users, as the page's client does", () => {
  const { config, cases } = readVectors<QaVectors>("qa-users");
  const plain = cases.filter(({ overrides }) => Object.keys(overrides).length === 0);
  const found = plain.map(({ experiment, user_id }) => findAssignmentIn(config, experiment, user_id));
  expect(found.map((assignment) => assignment?.variant.key ?? null)).toEqual(
    plain.map(({ variant }) => variant),
  );
});
