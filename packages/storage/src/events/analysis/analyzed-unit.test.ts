import { expect, test } from "vitest";
import { addValue, newUnit, type Unit } from "../units/unit.ts";
import { type AnalyzedUnit, analyzedCodec } from "./analyzed-unit.ts";
import type { EventGroup } from "./event-groups.ts";
import { type EventKind, MARK } from "./event-kind.ts";

const windows = [
  { source: 0, windowMs: Number.POSITIVE_INFINITY, isPerCall: true, isWeighted: false },
  { source: 1, windowMs: 1_000, isPerCall: false, isWeighted: true },
];
const AT = 1_790_000_000_000;

function unitOf(hash: bigint, change: Partial<Unit> = {}, values: readonly number[] = []): Unit {
  const unit = newUnit({ hash, userId: "", isTestUser: false }, windows);
  for (const value of values) for (const own of unit.values) addValue(own, value, own === unit.values[0], 4);
  return Object.assign(unit, change);
}

function groupOf(kind: Partial<EventKind>, change: Partial<EventGroup>): EventGroup {
  const names = { variant: "", source: "", businessMetric: "", ineligibleReason: "", model: "" };
  return {
    kind: { type: "model_call", ...names, requestedModel: "", assignedVariant: "", client: "", ...kind },
    ...{ marks: 0, events: 1, firstAt: AT, lastAt: AT, firstId: "", inputTokens: 0, cachedInputTokens: 0 },
    ...change,
  };
}

const first = { at: AT, eventId: "first", arm: "a", isTest: false, userKey: 0 };
const exposed = { type: "exposure", variant: "a" } as const;
const later = { events: 3, firstAt: AT + 40, lastAt: AT + 9_000_000_000 };

const UNITS: readonly AnalyzedUnit[] = [
  // Calls before any exposure, and none at all.
  { hash: 1n, unit: unitOf(1n, { lastOutcomeAt: AT, calls: 2, firstCallAt: 5, lastCallAt: AT }), groups: [] },
  { hash: 2n, unit: unitOf(2n), groups: [groupOf(exposed, { firstId: "without a first" })] },
  {
    hash: 3n,
    unit: unitOf(
      3n,
      { first, lastOutcomeAt: AT - 7, early: 1, attributed: 6 },
      [0, 0, -3, 12.5, -3, -3, 0.1],
    ),
    groups: [
      groupOf(exposed, { firstId: "first" }),
      groupOf(
        { ...exposed, ineligibleReason: "held" },
        { firstId: "another", firstAt: AT - 50, lastAt: AT - 50 },
      ),
      groupOf({}, later),
      groupOf(
        { model: "m" },
        { ...later, marks: MARK.reportsCached, inputTokens: 0.5, cachedInputTokens: 0.25 },
      ),
    ],
  },
  { hash: 4n, unit: unitOf(4n, { first, past: { sums: [Number.NaN, 2.5], counts: [0, 2] } }), groups: [] },
];

test("reads units as they were written", () => {
  const codec = analyzedCodec({ windows, pastSources: [0, 1], hasUsers: false });
  const writer = codec.writer();
  for (const unit of UNITS) writer.add(unit);
  const units = codec.read(writer.finish());
  const read: AnalyzedUnit[] = [];
  for (let next = units.next(); next.done !== true; next = units.next()) read.push(next.value);
  const sorted = (groups: readonly EventGroup[]) => new Set(groups);
  expect(read.map((unit) => ({ ...unit, groups: sorted(unit.groups) }))).toEqual(
    UNITS.map((unit) => ({ ...unit, groups: sorted(unit.groups) })),
  );
});
