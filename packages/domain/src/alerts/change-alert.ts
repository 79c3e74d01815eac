import type { Experiment } from "../experiment/config.ts";
import { openHold } from "../experiment/hold.ts";
import { type Alert, alertedOf } from "./alert.ts";

/** Returns the alert about a hold, its end, or a new stage of a rollout, between two versions of an experiment; null for other changes. */
export function changeAlert(before: Experiment, after: Experiment, by: string): Alert | null {
  const { id, orgId, config, updatedAt: at } = after;
  const experiment = alertedOf(after);
  const fact = { orgId, at, key: id };
  const hold = openHold(config);
  const isHeldSince = hold !== null && openHold(before.config) === null;
  if (isHeldSince) {
    const reason = hold.reason ?? `${by} held it.`;
    return { ...fact, type: "experiment.held", data: { experiment, reason } };
  }
  if (hold === null && openHold(before.config) !== null && config.status === "running")
    return { ...fact, type: "experiment.resumed", data: { experiment, reason: `${by} resumed it.` } };
  const { rollout, coverage: share } = config;
  if (rollout === null || rollout.stage === before.config.rollout?.stage || config.status !== "running")
    return null;
  const data = { experiment, stage: rollout.stage + 1, stages: rollout.stages.length, share };
  return { ...fact, type: "experiment.stage", data };
}
