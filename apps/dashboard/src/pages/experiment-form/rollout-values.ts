import type { Experiment } from "../../api/types.ts";

/** A rollout as the form holds it. */
export interface RolloutValues {
  /** Percents of users in treatments, separated by commas; empty: no rollout. */
  readonly rolloutStages: string;
  readonly rolloutMinutes: number | null;
}

const DEFAULT_MINUTES = 60;

/** Returns the form's values of a stored rollout, or of none. */
export function rolloutValues(rollout: Experiment["rollout"]): RolloutValues {
  return {
    rolloutStages: rollout?.stages.join(", ") ?? "",
    rolloutMinutes: rollout?.min_minutes ?? DEFAULT_MINUTES,
  };
}

/** Reads the percents; NaN for what is no number. */
export function stagesOf({ rolloutStages: text }: Pick<RolloutValues, "rolloutStages">): readonly number[] {
  const parts = text.split(",").map((part) => part.trim().replace(/%$/, ""));
  return parts.every((part) => part === "")
    ? []
    : parts.map((part) => (part === "" ? Number.NaN : Number(part)));
}

/** Returns the rollout to send. Null without stages. A draft from an earlier version of this page lacks it. */
export function toRollout({ rolloutStages = "", rolloutMinutes = null }: Partial<RolloutValues>) {
  const stages = stagesOf({ rolloutStages });
  return stages.length === 0 ? null : { stages: [...stages], min_minutes: rolloutMinutes ?? DEFAULT_MINUTES };
}
