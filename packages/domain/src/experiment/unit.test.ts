import { bucketOf } from "@assay/bucketing";
import { expect, test } from "vitest";
import { assignAt, attributeExposure } from "../attribution/attribute.ts";
import { refusalOf } from "../attribution/refusal.ts";
import { compileTimeline } from "../attribution/timeline.ts";
import { faultPointers } from "../test-support/faults.ts";
import { type ConfigInput, createConfig, mergeConfig } from "./make-config.ts";
import { firstVersion, nextVersion } from "./next-version.ts";
import { EXPERIMENT_UNITS, type ExperimentUnit, subjectOf, unitMissing } from "./unit.ts";

const input: ConfigInput = {
  ...{ name: "exp", salt: "s", bucketCount: 100, metrics: [] },
  allocation: ["control", "treatment"].map((variant) => ({ variant, weight: 1 })),
};
const timelineOf = (unit: ExperimentUnit, more: Partial<ConfigInput> = {}) =>
  compileTimeline([
    {
      ...{ id: "exp", updatedAt: 0, config: createConfig({ ...input, unit, ...more }) },
      bucketMap: [
        { start: 0, end: 50, variant: "control" },
        { start: 50, end: 100, variant: "treatment" },
      ],
    },
  ]);

test("the unit is the user unless a config says otherwise, and a change keeps it", () => {
  expect(createConfig(input)).toMatchObject({ unit: "user", assignment: "assay" });
  for (const unit of EXPERIMENT_UNITS) {
    const config = createConfig({ ...input, unit });
    expect([config.unit, mergeConfig(config, { name: "other" }).unit]).toEqual([unit, unit]);
  }
});

test.each([
  ["user", "ann", undefined, { userId: "ann", unitId: "ann" }],
  ["user", "ann", "c1", { userId: "ann", unitId: "ann" }],
  ["conversation", "ann", "c1", { userId: "ann", unitId: "c1" }],
  ["run", "ann", "r1", { userId: "ann", unitId: "r1" }],
  ["conversation", "ann", undefined, null],
  ["conversation", "ann", null, null],
  ["run", "ann", "", null],
  ["run", "ann", 7, null],
] as const)("of the unit %s, user %s and unit_id %j are %j", (unit, userId, unitId, subject) =>
  expect(subjectOf(unit, userId, unitId)).toEqual(subject),
);

test("the bucket is that of the unit's id, whoever the user is", () => {
  const timeline = timelineOf("conversation");
  for (let i = 0; i < 50; i++) {
    const unitId = `c${i}`;
    const variant = bucketOf(timeline, unitId) < 50 ? "control" : "treatment";
    for (const userId of ["ann", "bob"]) {
      expect(assignAt(timeline, { userId, unitId }, 1)).toEqual({ variant, owner: variant, reason: null });
      expect(attributeExposure(timeline, { userId, unitId, at: 1, variant: null }).arm).toBe(variant);
    }
  }
});

test("an exposure that names no unit, which ingest refuses, is of one unit with all such", () => {
  const timeline = timelineOf("run");
  const arms = ["ann", "bob"].map(
    (userId) => attributeExposure(timeline, { userId, at: 1, variant: null }).arm,
  );
  expect(arms[0]).toBe(arms[1]);
});

test("in an experiment on users, a unit's id changes nothing", () => {
  const timeline = timelineOf("user");
  const { arm } = attributeExposure(timeline, { userId: "ann", at: 1, variant: null });
  for (const unitId of ["c1", "c2", "c3", "c4", "c5"])
    expect(attributeExposure(timeline, { userId: "ann", unitId, at: 1, variant: null }).arm).toBe(arm);
});

test("QA users are users: each of their conversations gets their variant, and is in no arm", () => {
  const timeline = timelineOf("conversation", { qaUsers: { treatment: ["ann"] } });
  for (const unitId of ["c1", "c2", "c3"])
    expect(assignAt(timeline, { userId: "ann", unitId }, 1)).toMatchObject({
      variant: "treatment",
      reason: "qa",
    });
});

test("an event that does not name its unit is refused with what to send", () => {
  for (const unit of EXPERIMENT_UNITS)
    for (const type of ["exposure", "model_call", "business_event"]) {
      const context = { timeline: timelineOf(unit), createdAt: 0, flagKey: null, source: "secret" } as const;
      const row = { type, user_id: "ann", timestamp: 1 };
      expect(refusalOf({ ...row, unit_id: "x" }, context)).toBeNull();
      expect(refusalOf(row, context)).toEqual(
        unit === "user" ? null : { reason: "invalid", detail: unitMissing(unit) },
      );
    }
  expect(unitMissing("run")).toBe(
    "unit_id is missing: this experiment assigns each run, so send the run's id as unit_id, in addition to user_id.",
  );
});

test("the unit is frozen at creation", () => {
  const current = {
    ...firstVersion({ ...input, unit: "run" }),
    ...{ id: "exp", orgId: "org", version: 1, servedAt: null, createdAt: 0, updatedAt: 0, isDemo: false },
  };
  const change = (unit: ExperimentUnit) => faultPointers(() => nextVersion(current, { unit }, new Set()));
  expect([change("user"), change("run")]).toEqual([["/unit"], []]);
});
