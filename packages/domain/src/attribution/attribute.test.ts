import { bucketOf } from "@assay/bucketing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BucketMap } from "../allocation/bucket-map.ts";
import type { ExperimentStatus } from "../experiment/config.ts";
import { type ConfigInput, createConfig } from "../experiment/make-config.ts";
import { userSubject } from "../test-support/user-subject.ts";
import { type Attribution, assignAt, attributeExposure } from "./attribute.ts";
import { compileTimeline, extendTimeline, type Timeline } from "./timeline.ts";

/** The instants of these tests are in hours. */
const HOUR_MS = 3_600_000;
const HALF = 50;
const BUCKETS = 100;
/** Each arm has half of the covered buckets; the last ten buckets have no owner. */
const MAP: BucketMap = [
  { start: 0, end: 45, variant: "control" },
  { start: 45, end: 90, variant: "treatment" },
  { start: 90, end: BUCKETS, variant: null },
];

interface Step {
  readonly at: number;
  readonly status?: ExperimentStatus;
  readonly shippedVariant?: string;
  readonly off?: readonly string[];
  readonly map?: BucketMap;
  readonly assignment?: ConfigInput["assignment"];
}

function timelineOf(...steps: readonly [Step, ...Step[]]): Timeline {
  const [first, ...later] = versionsOf(...steps);
  return compileTimeline([first!, ...later]);
}

function versionsOf(...steps: readonly Step[]) {
  return steps.map(({ at, map = MAP, assignment = "assay", ...step }) => ({
    id: "exp",
    updatedAt: at * HOUR_MS,
    bucketMap: map,
    config: createConfig({
      ...{ name: "exp", salt: "salt", bucketCount: BUCKETS, metrics: [], assignment },
      ...{ status: step.status ?? "running", shippedVariant: step.shippedVariant ?? null },
      allocation: [
        { variant: "control", weight: HALF },
        { variant: "treatment", weight: HALF },
        { variant: "parked", weight: 0 },
      ],
      variants: ["control", "treatment", "parked"].map((key) => ({ key, enabled: !step.off?.includes(key) })),
    }),
  }));
}

/** A user whose bucket is in the range. */
function userIn(from: number, to: number): string {
  for (let i = 0; ; i++) {
    const bucket = bucketOf({ id: "exp", salt: "salt", bucketCount: BUCKETS }, `user-${i}`);
    if (bucket >= from && bucket < to) return `user-${i}`;
  }
}

const ofControl = userIn(0, 45);
const ofTreatment = userIn(45, 90);
const ofNobody = userIn(90, 100);

/** Draft, running, treatment switched off, stopped, running again. */
const life = timelineOf(
  { at: 100, status: "draft" },
  { at: 200 },
  { at: 300, off: ["treatment"] },
  { at: 400, status: "stopped" },
  { at: 500 },
);

describe("assign", () => {
  test.each([
    { at: 99, variant: null, reason: "not-started" },
    { at: 100, variant: null, reason: "not-started" },
    { at: 199, variant: null, reason: "not-started" },
    { at: 200, variant: "treatment", reason: null },
    { at: 299, variant: "treatment", reason: null },
    { at: 300, variant: null, reason: "disabled" },
    { at: 399, variant: null, reason: "disabled" },
    { at: 400, variant: null, reason: "stopped" },
    { at: 500, variant: "treatment", reason: null },
  ])("at $at gives a user of treatment $variant ($reason)", ({ at, variant, reason }) => {
    expect(assignAt(life, userSubject(ofTreatment), at * HOUR_MS)).toEqual({
      variant,
      owner: "treatment",
      reason,
    });
  });

  test("gives a user outside the coverage nothing, and control's users their variant while treatment is off", () => {
    expect(assignAt(life, userSubject(ofNobody), 200 * HOUR_MS)).toEqual({
      variant: null,
      owner: null,
      reason: "uncovered",
    });
    expect(assignAt(life, userSubject(ofControl), 300 * HOUR_MS)).toEqual({
      variant: "control",
      owner: "control",
      reason: null,
    });
  });

  test("treats up to five minutes before the start as the start: clocks differ, and some senders write whole seconds", () => {
    const at = (before: number) => assignAt(life, userSubject(ofControl), 200 * HOUR_MS - before).reason;
    expect([at(300_000), at(300_001)]).toEqual([null, "not-started"]);
    const born = timelineOf({ at: 100 });
    expect(assignAt(born, userSubject(ofControl), 100 * HOUR_MS - 300_000).variant).toBe("control");
    expect(assignAt(born, userSubject(ofControl), 100 * HOUR_MS - 300_001).variant).toBeNull();
    const named = { userId: ofControl, at: 200 * HOUR_MS - 900, variant: "control" };
    expect(attributeExposure(life, named).reason).toBeNull();
    expect(assignAt(life, userSubject(ofControl), 500 * HOUR_MS - 1).reason).toBe("stopped");
  });

  test("gives everybody the variant that was shipped, until it is stopped again", () => {
    const shipped = timelineOf(
      { at: 0 },
      { at: 100, status: "shipped", shippedVariant: "parked" },
      { at: 200, status: "stopped" },
    );
    for (const user of [ofControl, ofTreatment, ofNobody]) {
      expect(assignAt(shipped, userSubject(user), 100 * HOUR_MS)).toMatchObject({
        variant: "parked",
        reason: "shipped",
      });
      expect(assignAt(shipped, userSubject(user), 200 * HOUR_MS)).toMatchObject({
        variant: null,
        reason: "stopped",
      });
    }
    for (const variant of [null, "parked", "control"]) {
      const exposure = attributeExposure(shipped, { userId: ofControl, at: 150 * HOUR_MS, variant });
      // Nobody is exposed to a difference any more.
      expect(exposure).toEqual({ arm: variant, owner: "control", reason: "shipped" });
    }
  });

  test("uses the map of that time", () => {
    const grown = timelineOf(
      { at: 0 },
      { at: 100, map: [...MAP.slice(0, 2), { start: 90, end: BUCKETS, variant: "parked" }] },
    );
    expect(assignAt(grown, userSubject(ofNobody), 99 * HOUR_MS).variant).toBeNull();
    expect(assignAt(grown, userSubject(ofNobody), 100 * HOUR_MS).variant).toBe("parked");
  });
});

describe("an exposure", () => {
  test("without a variant gets the variant that assign gave at that instant", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600 * HOUR_MS }), fc.string({ minLength: 1 }), (at, userId) => {
        const { variant, owner, reason } = assignAt(life, userSubject(userId), at);
        const expected: Attribution = { arm: variant, owner, reason };
        expect(attributeExposure(life, { userId, at, variant: null })).toEqual(expected);
      }),
    );
  });

  test.each([
    { name: "history from before the first version", at: 50, variant: "treatment", reason: null },
    { name: "in the draft", at: 150, variant: "treatment", reason: "not-started" },
    { name: "while it runs", at: 250, variant: "treatment", reason: null },
    { name: "of an arm that is switched off", at: 350, variant: "treatment", reason: "disabled" },
    { name: "of the other arm while one is switched off", at: 350, variant: "control", reason: null },
    { name: "while it is stopped", at: 450, variant: "control", reason: "stopped" },
    { name: "of an arm without a share", at: 250, variant: "parked", reason: "stray" },
    { name: "history of an arm without a share", at: 50, variant: "parked", reason: "stray" },
  ])("that names its variant, $name", ({ at, variant, reason }) => {
    const exposure = { userId: ofControl, at: at * HOUR_MS, variant };
    expect(attributeExposure(life, exposure)).toEqual({ arm: variant, owner: "control", reason });
  });

  test("keeps the variant it names if the map says another, and reports the bucket's owner", () => {
    expect(attributeExposure(life, { userId: ofNobody, at: 250 * HOUR_MS, variant: "control" })).toEqual({
      ...{ arm: "control", owner: null, reason: null },
    });
  });

  test("of another system's arm counts by the weights, whatever the buckets say", () => {
    const external = timelineOf({
      at: 0,
      assignment: "external",
      map: [{ start: 0, end: BUCKETS, variant: null }],
    });
    const reasonOf = (variant: string) =>
      attributeExposure(external, { userId: ofControl, at: 10 * HOUR_MS, variant }).reason;
    expect([reasonOf("treatment"), reasonOf("parked")]).toEqual([null, "stray"]);
    expect(external.stretches[0].shares).toEqual({ control: 0.5, treatment: 0.5 });
  });
});

test("an extended timeline equals the timeline of all versions", () => {
  const [first, ...later] = versionsOf({ at: 100 }, { at: 200, off: ["control"] }, { at: 300, map: [] });
  const begun = compileTimeline([first!]);
  expect(extendTimeline(extendTimeline(begun, later.slice(0, 1)), later.slice(1))).toEqual(
    compileTimeline([first!, ...later]),
  );
  expect(extendTimeline(begun, [])).toEqual(begun);
});

test("a timeline knows the variants of every version", () => {
  expect([...life.variants]).toEqual(["control", "treatment", "parked"]);
});
