import {
  type Alert,
  advanced,
  beginHold,
  type ConfigInput,
  type ControlStores,
  changeAlert,
  type Experiment,
  endHold,
  type Hold,
  isAssigning,
  nextStageAt,
  openHold,
  openHoldback,
} from "@assay/domain";
import type { Actor } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { changeConfig, recordUpdate } from "./change-config.ts";
import { loadShared } from "./change-shared-metric.ts";
import { mintVersion } from "./mint-version.ts";

/** Stops giving out variants of an experiment. An experiment that is already held stays unchanged. */
export function holdExperiment(
  actor: Actor,
  experimentId: string,
  { reason, guardrail }: Pick<Hold, "reason" | "guardrail">,
  deps: Deps,
): Promise<Experiment> {
  return changeByItself(actor, experimentId, deps, ({ config }, at) =>
    openHold(config) === null ? { holds: beginHold(config, { at, reason, guardrail }) } : null,
  );
}

/** Gives users their variants again. An experiment that is not held stays unchanged. */
export function resumeExperiment(actor: Actor, experimentId: string, deps: Deps): Promise<Experiment> {
  return changeByItself(actor, experimentId, deps, ({ config }, at) =>
    openHold(config) === null ? null : { holds: endHold(config, at) },
  );
}

/** Moves a rollout to its next stage, if that is due and the experiment still runs. */
export function advanceRollout(actor: Actor, experimentId: string, deps: Deps): Promise<Experiment> {
  return changeByItself(actor, experimentId, deps, ({ config }, at) => {
    const dueAt = config.rollout && nextStageAt(config.rollout);
    const isDue = isAssigning(config) && dueAt !== null && dueAt <= at;
    return isDue ? { rollout: advanced(config.rollout!) } : null;
  });
}

/** Ends a holdback: users who kept control get the shipped variant too. Without a running holdback, nothing changes. */
export function endHoldback(actor: Actor, experimentId: string, deps: Deps): Promise<Experiment> {
  return changeByItself(actor, experimentId, deps, ({ config }, at) => {
    const open = openHoldback(config);
    return open === null ? null : { holdback: { ...open, to: at } };
  });
}

/** Mints a version in one transaction with its audit entry. If the change is null, nothing is stored. */
function changeByItself(
  actor: Actor,
  experimentId: string,
  deps: Deps,
  change: (current: Experiment, at: number) => Pick<ConfigInput, "holds" | "rollout" | "holdback"> | null,
): Promise<Experiment> {
  return changeConfig(actor, deps, async (stores) => {
    const current = await stores.experiments.lock(actor.orgId, experimentId);
    const at = deps.clock.now();
    const changed = change(current, at);
    if (changed === null) return current;
    const shared = await loadShared(actor.orgId, stores);
    const next = await mintVersion(current, changed, { stores, shared, at, by: actor.userId });
    await recordUpdate(stores, actor, { current, next }, deps);
    await tell(changeAlert(current, next, actor.name), stores);
    return next;
  });
}

/** Each of these changes is a separate fact, which ends the earlier one of its type. */
async function tell(alert: Alert | null, { alerts }: Pick<ControlStores, "alerts">): Promise<void> {
  if (alert === null) return;
  await alerts.end(alert);
  await alerts.raise(alert);
}
