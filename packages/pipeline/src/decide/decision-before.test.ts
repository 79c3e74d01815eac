import type { Claim, DecisionStatus, MetricDefinition } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { metric } from "../test-support/runs.ts";
import { decisionBefore } from "./decision-before.ts";

const claim = (name: string) => ({ metric: name, metOn: "2026-01-11" }) as unknown as Claim;
const decided = {
  ...{ decidedState: "ready-to-decide", decidedOn: "2026-01-11", treatment: "b", startedOn: "2026-01-05" },
  evidence: [claim("main"), claim("guard")],
} as unknown as DecisionStatus;

const main = metric("main");
const guard = metric("guard", { role: "guardrail", margin: 0.2 });
const side = metric("side", { role: "secondary" });

const after = (now: readonly MetricDefinition[], before: readonly MetricDefinition[] = [main, guard, side]) =>
  decisionBefore(decided, { before: { metrics: before }, now: { metrics: now } });

describe("a decision is taken back", () => {
  test.each<{ name: string; now: readonly MetricDefinition[]; left: readonly string[] }>([
    {
      name: "a new version of its metric",
      now: [{ ...main, metricVersion: 2 }, guard, side],
      left: ["guard"],
    },
    { name: "another direction", now: [{ ...main, desired: "decrease" }, guard, side], left: ["guard"] },
    { name: "another margin", now: [main, { ...guard, margin: 0.1 }, side], left: ["main"] },
    { name: "another role", now: [main, guard, { ...side, role: "primary" }], left: ["main", "guard"] },
    { name: "a role it no longer has", now: [{ ...main, role: "guardrail" }, guard], left: ["guard"] },
    { name: "a new primary metric", now: [main, guard, side, metric("new")], left: ["main", "guard"] },
    {
      name: "a new margin",
      now: [main, guard, { ...side, margin: 0.1 }],
      left: ["main", "guard"],
    },
  ])("by $name, and what the other metrics met stays met", ({ now, left }) => {
    const { evidence, ...rest } = after(now);
    expect(evidence.map((one) => one.metric)).toEqual(left);
    expect(rest).toEqual({
      decidedState: null,
      decidedOn: null,
      treatment: null,
      startedOn: decided.startedOn,
    });
  });

  test("by a new secondary metric where no metric is primary: it decides, too", () => {
    expect(after([side, metric("new", { role: "secondary" })], [side]).decidedOn).toBeNull();
    expect(after([side, metric("new", { role: "guardrail" })], [side])).toBe(decided);
  });
});

test.each<{ name: string; now: readonly MetricDefinition[] }>([
  { name: "the same metrics", now: [main, guard, side] },
  { name: "another test and target", now: [{ ...main, method: "welch_t", targetEffect: 0.2 }, guard, side] },
  { name: "a new secondary metric", now: [main, guard, side, metric("new", { role: "secondary" })] },
  { name: "a removed metric", now: [main, side] },
])("a decision stands with $name", ({ now }) => expect(after(now)).toBe(decided));
