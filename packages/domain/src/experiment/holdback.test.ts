import { bucketOf } from "@assay/bucketing";
import { describe, expect, test } from "vitest";
import { type Attribution, assignAt, attributeExposure } from "../attribution/attribute.ts";
import { compileTimeline } from "../attribution/timeline.ts";
import { faultPointers, faultsOf } from "../test-support/faults.ts";
import { firstExperiment } from "../test-support/first-experiment.ts";
import { userSubject } from "../test-support/user-subject.ts";
import { DAY_MS } from "../time/day.ts";
import type { Experiment } from "./config.ts";
import {
  dueWeeks,
  HOLDBACK_WEEKS,
  holdbackEnd,
  holdbackMap,
  holdbackShares,
  textChanges,
} from "./holdback.ts";
import type { ConfigInput } from "./make-config.ts";
import { nextVersion } from "./next-version.ts";
import { datedConfig } from "./rollout.ts";

/** Three arms in 90 of 100 buckets: a has the first 30, b the next, c the rest. */
const first = firstExperiment({
  coverage: 0.9,
  allocation: ["a", "b", "c"].map((variant) => ({ variant, weight: 1 })),
});
const ship = { status: "shipped", shippedVariant: "b", holdback: { percent: 5 } } as const;

/** Applies changes, an hour apart. */
function after(...changes: readonly Partial<ConfigInput>[]): Experiment {
  return history(first, ...changes).at(-1)!;
}

function history(begin: Experiment, ...changes: readonly Partial<ConfigInput>[]): readonly Experiment[] {
  const versions = [begin];
  for (const change of changes) {
    const current = versions.at(-1)!;
    const at = current.updatedAt + 3_600_000;
    const context = {
      ...{ history: new Map(), shared: new Map() },
      wasShipped: versions.some(({ config }) => config.shippedVariant !== null),
    };
    const { config, bucketMap } = nextVersion(current, change, new Set(), context);
    const dated = datedConfig(config, current.config, at);
    versions.push({ ...current, version: current.version + 1, config: dated, bucketMap, updatedAt: at });
  }
  return versions;
}

const HOUR = 3_600_000;

describe("changes of texts", () => {
  const variantsWith = (changed: string, change: object) =>
    first.config.variants.map((variant) => (variant.key === changed ? { ...variant, ...change } : variant));
  const [control] = [first.config.control];
  const text = (key: string, prompt: string) => ({ variants: variantsWith(key, { prompt }) });
  test.each<{ what: string; changes: readonly Partial<ConfigInput>[]; found: object }>([
    { what: "none without a holdback", changes: [text("b", "x")], found: [] },
    { what: "none before the shipping", changes: [text("b", "x"), ship], found: [] },
    {
      what: "with the shipping",
      changes: [{ ...ship, ...text("b", "x") }],
      found: [{ at: HOUR, variants: ["b"] }],
    },
    {
      what: "of either variant while users are held back",
      changes: [ship, { description: "d" }, text("b", "x"), text(control, "y")],
      found: [
        { at: 3 * HOUR, variants: ["b"] },
        { at: 4 * HOUR, variants: [control, "b"] },
      ],
    },
    {
      what: "of variables",
      changes: [ship, { variants: variantsWith("b", { variables: { tone: "kind" } }) }],
      found: [{ at: 2 * HOUR, variants: ["b"] }],
    },
    {
      what: "of the variants that were compared, when the experiment was stopped since",
      changes: [ship, text("b", "x"), { status: "stopped" }],
      found: [{ at: 2 * HOUR, variants: ["b"] }],
    },
    {
      what: "of the variants that were compared, when another one was shipped since",
      changes: [ship, text("b", "x"), { status: "stopped" }, { status: "shipped", shippedVariant: "c" }],
      found: [{ at: 2 * HOUR, variants: ["b"] }],
    },
    { what: "none of other variants", changes: [ship, text("c", "x")], found: [] },
    {
      what: "none after its end",
      changes: [ship, { holdback: { percent: 5, from: HOUR, to: 2 * HOUR } }, text("b", "x")],
      found: [],
    },
  ])("$what", ({ changes, found }) => {
    expect(textChanges(history(first, ...changes))).toEqual(found);
  });
});

describe("a holdback", () => {
  test("begins with the shipping, lasts through changes, and ends by the experiment's end, or before", () => {
    expect(first.config.holdback).toBeNull();
    const begun = { percent: 5, from: HOUR, to: null };
    expect(after(ship).config.holdback).toEqual(begun);
    expect(after(ship, { description: "d" }).config.holdback).toEqual(begun);
    expect(after(ship, { holdback: { percent: 5 } }).config.holdback).toEqual(begun);
    expect(after(ship, { status: "stopped" }).config.holdback).toEqual({ ...begun, to: 2 * HOUR });
    expect(after(ship, { holdback: { ...begun, to: 7 } }, { description: "d" }).config.holdback).toEqual({
      ...{ ...begun, to: 7 },
    });
    expect(after(ship, { status: "stopped" }, { holdback: null }).config.holdback).toEqual({
      ...{ ...begun, to: 2 * HOUR },
    });
    expect(after(ship, { status: "stopped" }, { status: "running" }).config.holdback).toBeNull();
    expect(after(ship, { status: "stopped" }, { status: "draft" }).config.holdback).toBeNull();
    expect(after({ ...ship, holdback: null }).config.holdback).toBeNull();
  });

  test("keeps control for the first of control's buckets, and gives all others the shipped variant", () => {
    const shipped = after(ship);
    expect(shipped.bucketMap).toEqual(first.bucketMap);
    expect(holdbackMap(shipped)).toEqual([
      { start: 0, end: 5, variant: "a" },
      { start: 5, end: 100, variant: "b" },
    ]);
    expect(holdbackShares(shipped)).toEqual({ a: 5 / 35, b: 30 / 35 });
  });

  test("takes control's buckets wherever they are, and never more than was said", () => {
    const bucketMap = [
      { start: 0, end: 3, variant: "b" },
      { start: 3, end: 5, variant: "a" },
      { start: 5, end: 40, variant: null },
      { start: 40, end: 100, variant: "a" },
    ];
    const config = { ...after(ship).config, holdback: { percent: 4.9, from: 0, to: null } };
    expect(holdbackMap({ bucketMap, config })).toEqual([
      { start: 0, end: 3, variant: "b" },
      { start: 3, end: 5, variant: "a" },
      { start: 5, end: 40, variant: "b" },
      { start: 40, end: 42, variant: "a" },
      { start: 42, end: 100, variant: "b" },
    ]);
  });

  test.each<{ what: string; begin?: Partial<ConfigInput>; change: Partial<ConfigInput>; pointers: string[] }>(
    [
      { what: "without the shipping", change: { holdback: { percent: 5 } }, pointers: ["/holdback"] },
      { what: "when control is shipped", change: { ...ship, shippedVariant: "a" }, pointers: ["/holdback"] },
      {
        what: "where another system assigned",
        begin: { assignment: "external" },
        change: ship,
        pointers: ["/holdback"],
      },
      { what: "of less than a bucket", begin: { bucketCount: 10 }, change: ship, pointers: ["/holdback"] },
      {
        what: "of more than control's users",
        begin: {
          allocation: [
            { variant: "a", weight: 1 },
            { variant: "b", weight: 49 },
          ],
        },
        change: ship,
        pointers: ["/holdback"],
      },
      {
        what: "of a variant that nobody had",
        begin: {
          allocation: [
            { variant: "a", weight: 1 },
            { variant: "b", weight: 0 },
            { variant: "c", weight: 1 },
          ],
        },
        change: ship,
        pointers: ["/holdback"],
      },
      {
        what: "of a control that is switched off",
        begin: { variants: [{ key: "a", enabled: false }, { key: "b" }] },
        change: ship,
        pointers: ["/variants"],
      },
    ],
  )("cannot begin $what", ({ begin = {}, change, pointers }) => {
    expect(faultPointers(() => history(firstExperiment(begin), change))).toEqual(pointers);
  });

  test.each(["user", "conversation"] as const)("of %ss says so in its refusals", (unit) => {
    const refusal = (begin: Partial<ConfigInput>) =>
      faultsOf(() => history(firstExperiment({ unit, ...begin }), ship)).map(({ detail }) => detail);
    const weights = (a: number, b: number, c: number) => ({
      allocation: [
        { variant: "a", weight: a },
        { variant: "b", weight: b },
        { variant: "c", weight: c },
      ],
    });
    expect(refusal({ bucketCount: 10 })[0]).toContain(`10% of the ${unit}s`);
    expect(refusal(weights(1, 49, 50))[0]).toBe(
      `Only control's ${unit}s can be held back, and they are 1% of all: ship without a holdback.`,
    );
    expect(refusal(weights(2, 48, 50))[0]).toContain("2% of all: hold back fewer, or ship without");
    expect(refusal(weights(1, 0, 1))[0]).toContain(`No ${unit} had "b"`);
    const off = refusal({ variants: [{ key: "a", enabled: false }, { key: "b" }] })[0]?.toLowerCase();
    expect(off).toContain(`${unit}s held back get control`);
  });

  test("cannot begin once everybody had the shipped variant", () => {
    const { holdback, ...alone } = ship;
    expect(faultPointers(() => after(alone, { holdback }))).toEqual(["/holdback"]);
    expect(faultPointers(() => after(alone, { status: "stopped" }, ship))).toEqual(["/holdback"]);
    expect(faultPointers(() => after(ship, { status: "stopped" }, ship))).toEqual(["/holdback"]);
    expect(faultPointers(() => after(ship, { holdback: { percent: 3 } }))).toEqual(["/holdback"]);
  });

  test.each<{ change: Partial<ConfigInput>; pointers: readonly string[] }>([
    { change: { holdback: null }, pointers: ["/holdback"] },
    { change: { shippedVariant: "c" }, pointers: ["/shipped_variant"] },
    { change: { control: "c" }, pointers: ["/control"] },
    { change: { coverage: 1 }, pointers: ["/coverage"] },
    {
      change: { allocation: ["a", "b", "c"].map((variant, i) => ({ variant, weight: i + 1 })) },
      pointers: ["/allocation"],
    },
    {
      change: { variants: [{ key: "a", enabled: false }, { key: "b" }, { key: "c" }] },
      pointers: ["/variants"],
    },
  ])("keeps what it rests on while it lasts: $change is refused", ({ change, pointers }) => {
    expect(faultPointers(() => after(ship, change))).toEqual(pointers);
    const ended = { holdback: { percent: 5, from: 1, to: 2 } };
    if (change.holdback !== null) expect(() => after(ship, ended, change)).not.toThrow();
  });
});

describe("while users are held back", () => {
  const [begun, shipped] = history(first, ship) as [Experiment, Experiment];
  const timeline = compileTimeline([begun, shipped]);
  const userIn = (from: number, to: number): string => {
    for (let i = 0; ; i++) {
      const bucket = bucketOf(timeline, `u-${i}`);
      if (bucket >= from && bucket < to) return `u-${i}`;
    }
  };

  test.each([
    { who: "held back", from: 0, to: 5, variant: "a", owner: "a", reason: "holdback" },
    { who: "of control", from: 5, to: 30, variant: "b", owner: "a", reason: "shipped" },
    { who: "of the shipped variant", from: 30, to: 60, variant: "b", owner: "b", reason: "holdback" },
    { who: "of another variant", from: 60, to: 90, variant: "b", owner: "c", reason: "shipped" },
    { who: "of no variant", from: 90, to: 100, variant: "b", owner: null, reason: "shipped" },
  ] as const)("a user $who gets $variant", ({ from, to, variant, owner, reason }) => {
    const userId = userIn(from, to);
    expect(assignAt(timeline, userSubject(userId), HOUR)).toEqual({ variant, owner, reason });
    const isCompared = reason === "holdback";
    const attributed = (named: string | null) =>
      attributeExposure(timeline, { userId, at: HOUR, variant: named });
    expect(attributed(null)).toEqual<Attribution>({ arm: isCompared ? variant : null, owner, reason });
    expect(attributed(variant)).toEqual<Attribution>({ arm: variant, owner, reason });
    expect(attributed("c")).toEqual<Attribution>({ arm: "c", owner, reason: "shipped" });
  });

  test("before and after, nothing is different", () => {
    const held = userIn(0, 5);
    expect(assignAt(timeline, userSubject(held), HOUR - 1)).toEqual({
      variant: "a",
      owner: "a",
      reason: null,
    });
    const ended = history(first, ship, { holdback: { percent: 5, from: HOUR, to: 2 * HOUR } });
    const later = compileTimeline(ended as [Experiment, ...Experiment[]]);
    expect(assignAt(later, userSubject(held), 2 * HOUR)).toEqual({
      variant: "b",
      owner: "a",
      reason: "shipped",
    });
  });
});

describe("the weeks of a holdback", () => {
  const week = (index: number) => ({ from: 7 * index * DAY_MS, to: 7 * (index + 1) * DAY_MS });

  test.each([
    { to: null, now: 8 * DAY_MS - 1, due: [] },
    { to: null, now: 8 * DAY_MS, due: [week(0)] },
    { to: null, now: 15 * DAY_MS, due: [week(0), week(1)] },
    { to: 9 * DAY_MS, now: 10 * DAY_MS, due: [week(0), { from: 7 * DAY_MS, to: 9 * DAY_MS }] },
    { to: 7 * DAY_MS, now: 99 * DAY_MS, due: [week(0)] },
    { to: 0, now: 99 * DAY_MS, due: [] },
  ])("ended at $to are due at $now: a day after their end", ({ to, now, due }) => {
    expect(dueWeeks({ percent: 5, from: 0, to }, now)).toEqual(due);
  });

  test("are twelve at most, whenever somebody noticed its end", () => {
    const end = HOLDBACK_WEEKS * 7 * DAY_MS;
    for (const to of [null, end, end + 5]) {
      expect(dueWeeks({ percent: 5, from: 0, to }, end + 2 * DAY_MS)).toHaveLength(HOLDBACK_WEEKS);
      expect(holdbackEnd({ percent: 5, from: 0, to })).toBe(end);
    }
  });
});
