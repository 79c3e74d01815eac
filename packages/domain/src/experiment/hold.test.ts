import { describe, expect, test } from "vitest";
import { assignAt, attributeExposure } from "../attribution/attribute.ts";
import { compileTimeline } from "../attribution/timeline.ts";
import { DomainError } from "../problem.ts";
import { firstExperiment } from "../test-support/first-experiment.ts";
import { userSubject } from "../test-support/user-subject.ts";
import type { ExperimentConfig, Hold } from "./config.ts";
import { beginHold, configExclusions, endHold, holdsOf, MAX_HOLDS, openHold, restartFaults } from "./hold.ts";
import { nextVersion } from "./next-version.ts";

const first = firstExperiment({ qaUsers: { b: ["tester"] } });
const since = (from: number, to: number | null = null): Hold => ({ from, to, reason: null, guardrail: null });
const config = (change: Partial<ExperimentConfig>): ExperimentConfig => ({ ...first.config, ...change });

/** An experiment that was held from 100 to 200. */
const timeline = (() => {
  const held = { ...first, ...nextVersion(first, { holds: [since(100)] }, new Set()), updatedAt: 100 };
  const resumed = { ...held, ...nextVersion(held, { holds: [since(100, 200)] }, new Set()), updatedAt: 200 };
  return compileTimeline([first, held, resumed]);
})();

describe("a held experiment", () => {
  test.each([
    { at: 99, held: false },
    { at: 100, held: true },
    { at: 199, held: true },
    { at: 200, held: false },
  ])("gives variants at $at: $held", ({ at, held }) => {
    const before = assignAt(timeline, userSubject("ann"), 0);
    expect(before.reason).toBeNull();
    expect(assignAt(timeline, userSubject("ann"), at)).toEqual(
      held ? { ...before, variant: null, reason: "held" } : before,
    );
    expect(assignAt(timeline, userSubject("tester"), at).variant).toBe(held ? null : "b");
    const exposure = { userId: "ann", at, variant: "a" };
    expect(attributeExposure(timeline, exposure).reason).toBe(held ? "held" : null);
    expect(attributeExposure(timeline, { ...exposure, variant: null }).arm).toBe(
      held ? null : before.variant,
    );
  });

  test("keeps what happened meanwhile, and its QA users, out of analyses", () => {
    expect(configExclusions(config({ holds: [since(1, 5), since(9)] }))).toEqual([
      { userIds: ["tester"] },
      { from: 1, to: 5 },
      { from: 9 },
    ]);
    expect(configExclusions(config({ qaUsers: {} }))).toEqual([]);
  });
});

describe("the holds of an experiment", () => {
  test("begin, end, and begin again", () => {
    const cause = { reason: "errors", guardrail: "error-rate" };
    const begun = beginHold(config({ holds: [since(1, 5)] }), { at: 9, ...cause });
    expect(begun).toEqual([since(1, 5), { from: 9, to: null, ...cause }]);
    expect(openHold({ holds: begun })).toEqual(begun[1]);
    const ended = endHold({ holds: begun }, 12);
    expect(ended[1]).toEqual({ from: 9, to: 12, ...cause });
    expect([openHold({ holds: ended }), openHold({ holds: [] })]).toEqual([null, null]);
  });

  test("end with the experiment", () => {
    const holds = [since(1, 5), since(9)];
    expect(holdsOf(config({ holds }), 12)).toBe(holds);
    expect(holdsOf(config({ holds, status: "stopped" }), 12)).toEqual([since(1, 5), since(9, 12)]);
  });

  test.each([
    { what: "a stopped experiment", change: { status: "stopped" }, says: "stopped" },
    { what: "another system's flag", change: { flagKey: "f" }, says: 'The flag "f"' },
  ] as const)("do not begin for $what", ({ change, says }) => {
    const begin = () => beginHold(config(change), { at: 1, reason: null, guardrail: null });
    expect(begin).toThrow(says);
    expect(begin).toThrow(expect.objectContaining({ kind: "not-holdable" }));
  });

  test("are bounded: the last one is not resumed", () => {
    const holds = Array.from({ length: MAX_HOLDS - 1 }, (_, index) => since(index, index + 1));
    expect(endHold({ holds: [...holds.slice(1), since(99)] }, 100)).toHaveLength(MAX_HOLDS - 1);
    const refused = () => endHold({ holds: [...holds, since(99)] }, 100);
    expect(refused).toThrow(DomainError);
    expect(refused).toThrow(`last of ${MAX_HOLDS} holds`);
  });

  test("are bounded: after the last one, the experiment does not start again", () => {
    const holds = Array.from({ length: MAX_HOLDS }, (_, index) => since(index, index + 1));
    const again = (ended: typeof holds, from: "running" | "stopped" | "draft") =>
      restartFaults(config({ status: from }), config({ holds: ended, status: "running" }));
    expect(again(holds, "stopped")).toEqual([
      { pointer: "/status", detail: expect.stringContaining("start a new one") },
    ]);
    expect(again(holds, "draft")).toHaveLength(1);
    expect([again(holds.slice(1), "stopped"), again(holds, "running")]).toEqual([[], []]);
    expect(restartFaults(config({ holds }), config({ holds, status: "stopped" }))).toEqual([]);
  });
});
