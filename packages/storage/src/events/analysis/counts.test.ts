import { expect, test } from "vitest";
import { AttributionCounts } from "./attribution-counts.ts";
import { type EventGroup, type FirstExposureFacts, MOST_NAMES } from "./event-groups.ts";
import { type EventKind, MARK } from "./event-kind.ts";
import { HealthCounts } from "./health-counts.ts";

const call = ({
  marks = MARK.completed,
  events = 1,
  firstAt = 5,
  ...kind
}: Partial<EventKind> & Partial<EventGroup>): EventGroup => ({
  ...{ marks, events, firstAt, lastAt: 5, firstId: "", inputTokens: 0, cachedInputTokens: 0 },
  kind: {
    ...{ type: "model_call", variant: "", source: "", businessMetric: "", ineligibleReason: "" },
    ...{ model: "", requestedModel: "", assignedVariant: "", client: "", ...kind },
  },
});
const exposure: FirstExposureFacts = {
  ...{ at: 1, variant: "a", assignedVariant: "", source: "", client: "", isContaminated: false },
};

test("a sender of ever new names fills no memory and hides none of the names before", () => {
  const [health, attribution] = [new HealthCounts({}), new AttributionCounts()];
  const add = (groups: readonly EventGroup[]) => {
    health.add(exposure, groups);
    attribution.add(exposure, groups);
  };
  add([call({ model: "real", source: "secret", events: 3 })]);
  for (let i = 0; i < MOST_NAMES + 100; i++) add([call({ model: `m${i}`, source: `s${i}` })]);
  add([call({ model: "real", source: "secret", events: 2 })]);
  add([call({ model: "late", source: "late", events: 99 })]);
  const [arm] = health.finish();
  expect(arm).toMatchObject({ arm: "a", completedCalls: MOST_NAMES + 204 });
  expect(arm?.models.slice(0, 2)).toEqual([
    { model: "real", calls: 5, unpricedCalls: 0 },
    { model: "m0", calls: 1, unpricedCalls: 0 },
  ]);
  expect(arm?.models).toHaveLength(50);
  const { outcomes } = attribution.finish();
  expect(outcomes[0]).toMatchObject({ source: "secret", events: 5, users: 2 });
  expect(outcomes).toHaveLength(200);
});

test("an arm may be called as a member of all objects is", () => {
  const health = new HealthCounts({ a: "small" });
  health.add({ ...exposure, variant: "constructor" }, [call({ model: "large", requestedModel: "large" })]);
  expect(health.finish()).toMatchObject([
    {
      arm: "constructor",
      callsWithModel: 1,
      otherModel: { count: 0 },
      models: [{ model: "large", calls: 1 }],
    },
  ]);
});

test("one user may have more groups of events than a call takes arguments", () => {
  const [health, attribution] = [new HealthCounts({}), new AttributionCounts()];
  const others = Array.from({ length: 200_000 }, (_, i) =>
    call({ type: "exposure", variant: "b", source: `s${i}`, marks: 0, firstAt: 300_000 - i }),
  );
  const refused = others.map((group) => ({ ...group, kind: { ...group.kind, ineligibleReason: "stray" } }));
  for (const groups of [others, refused]) {
    health.add({ ...exposure, isContaminated: groups === others }, groups);
    attribution.add(exposure, groups);
  }
  expect(health.finish()[0]?.severalVariants).toEqual({ count: 1, since: 100_001 });
  expect(attribution.finish().ineligible).toMatchObject([{ exposures: 200_000, since: 100_001 }]);
});
