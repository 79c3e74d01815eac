import type { ExclusionMatch } from "../attribution/exclusions.ts";
import { DomainError, type FieldFault } from "../problem.ts";
import type { ExperimentConfig, Hold } from "./config.ts";
import { qaExclusions } from "./qa-users.ts";

/** Maximum number of holds of an experiment, because every query of an analysis carries them. */
export const MAX_HOLDS = 50;

type Held = Pick<ExperimentConfig, "holds">;

/** Returns the current hold, or null. */
export function openHold({ holds }: Held): Hold | null {
  const last = holds.at(-1);
  return last?.to === null ? last : null;
}

/** Returns whether users get variants by their buckets: the experiment runs and is not held. */
export function isAssigning(config: Held & Pick<ExperimentConfig, "status">): boolean {
  return config.status === "running" && openHold(config) === null;
}

/** Begins a hold at an instant. Throws `not-holdable` if the experiment assigns no variants anyway. */
export function beginHold(
  { holds, status, flagKey }: Held & Pick<ExperimentConfig, "status" | "flagKey">,
  { at, reason, guardrail }: Pick<Hold, "reason" | "guardrail"> & { readonly at: number },
): readonly Hold[] {
  if (flagKey !== null)
    throw new DomainError(
      "not-holdable",
      `The flag "${flagKey}" gives users their variants: switch it off there.`,
    );
  if (status !== "running")
    throw new DomainError(
      "not-holdable",
      `Only running experiments can be held; this one's status is "${status}".`,
    );
  return [...holds, { from: at, to: null, reason, guardrail }];
}

/** Ends the current hold. Throws `not-holdable` after too many holds. */
export function endHold({ holds }: Held, at: number): readonly Hold[] {
  if (holds.length >= MAX_HOLDS) {
    const detail = `This is the last of ${MAX_HOLDS} holds: stop the experiment, and start a new one when the cause is found.`;
    throw new DomainError("not-holdable", detail);
  }
  return closed(holds, at);
}

/** Lists why an experiment cannot start again: it has used up its holds, so it could not be held any more. */
export function restartFaults(
  { status }: Pick<ExperimentConfig, "status">,
  next: Held & Pick<ExperimentConfig, "status">,
): readonly FieldFault[] {
  if (status === "running" || next.status !== "running" || next.holds.length < MAX_HOLDS) return [];
  const detail = `This experiment was held ${MAX_HOLDS} times, the maximum: start a new one.`;
  return [{ pointer: "/status", detail }];
}

/** Returns the holds of a version created at an instant. A hold ends when the experiment stops running. */
export function holdsOf(
  { holds, status }: Held & Pick<ExperimentConfig, "status">,
  at: number,
): readonly Hold[] {
  return status === "running" ? holds : closed(holds, at);
}

function closed(holds: readonly Hold[], at: number): readonly Hold[] {
  return holds.map((hold) => (hold.to === null ? { ...hold, to: at } : hold));
}

/**
 * Returns the exclusions that an experiment's config implies: all events of its QA users, and all events during its holds, when nobody
 * had a variant.
 */
export function configExclusions(
  config: Held & Pick<ExperimentConfig, "qaUsers">,
): readonly ExclusionMatch[] {
  const holds = config.holds.map(({ from, to }) => (to === null ? { from } : { from, to }));
  return [...qaExclusions(config), ...holds];
}
