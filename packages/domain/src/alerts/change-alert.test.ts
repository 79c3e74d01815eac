import { describe, expect, test } from "vitest";
import type { Experiment } from "../experiment/config.ts";
import { beginHold, endHold } from "../experiment/hold.ts";
import type { ConfigInput } from "../experiment/make-config.ts";
import { nextVersion } from "../experiment/next-version.ts";
import { advanced } from "../experiment/rollout.ts";
import { firstExperiment } from "../test-support/first-experiment.ts";
import { changeAlert } from "./change-alert.ts";

const first = firstExperiment({ name: "tone", rollout: { stages: [5, 50], minMinutes: 1 } });
const next = (current: Experiment, change: Partial<ConfigInput>): Experiment => ({
  ...{ ...current, updatedAt: current.updatedAt + 1 },
  ...nextVersion(current, change, new Set()),
});
const held = (reason: string | null) =>
  next(first, { holds: beginHold(first.config, { at: 1, reason, guardrail: null }) });
const experiment = { id: "e1", name: "tone" };

describe("a change of an experiment", () => {
  test.each([
    { reason: "Errors tripled.", says: "Errors tripled." },
    { reason: null, says: "Ann held it." },
  ])("that holds it says why: $says", ({ reason, says }) => {
    expect(changeAlert(first, held(reason), "Ann")).toEqual({
      ...{ type: "experiment.held", orgId: "o", key: "e1", at: 1 },
      data: { experiment, reason: says },
    });
  });

  test("that resumes it says who did", () => {
    const resumed = next(held(null), { holds: endHold(held(null).config, 2) });
    expect(changeAlert(held(null), resumed, "Ann")).toMatchObject({
      ...{ type: "experiment.resumed", at: 2, data: { experiment, reason: "Ann resumed it." } },
    });
  });

  test("that begins a stage says which, and whom it reaches", () => {
    const raised = next(first, { rollout: advanced(first.config.rollout!) });
    expect(changeAlert(first, raised, "Assay")).toMatchObject({
      ...{ type: "experiment.stage", data: { experiment, stage: 2, stages: 2, share: 1 } },
    });
  });

  test("of an experiment on conversations says so", () => {
    const ofConversations = { ...first, config: { ...first.config, unit: "conversation" as const } };
    const raised = next(ofConversations, { rollout: advanced(first.config.rollout!) });
    expect(changeAlert(ofConversations, raised, "Assay")).toMatchObject({
      data: { experiment: { ...experiment, unit: "conversation" } },
    });
  });

  test("of another kind says nothing", () => {
    const stopped = next(held(null), { status: "stopped", holds: endHold(held(null).config, 2) });
    expect(changeAlert(held(null), stopped, "Ann")).toBeNull();
    expect(changeAlert(held(null), next(held(null), { description: "d" }), "Ann")).toBeNull();
    expect(changeAlert(first, next(first, { rollout: null }), "Ann")).toBeNull();
    const raised = { rollout: advanced(first.config.rollout!), status: "stopped" } as const;
    expect(changeAlert(first, next(first, raised), "Ann")).toBeNull();
  });
});
