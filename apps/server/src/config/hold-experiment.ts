import { beginHold, type Experiment, endHold, type Hold, openHold } from "@assay/domain";
import type { Actor } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { changeConfig, recordUpdate } from "./change-config.ts";
import { loadShared } from "./change-shared-metric.ts";
import { mintVersion } from "./mint-version.ts";

/** Gives nobody a variant of an experiment any more. An experiment that is held already stays as it is. */
export function holdExperiment(
  actor: Actor,
  experimentId: string,
  { reason, guardrail }: Pick<Hold, "reason" | "guardrail">,
  deps: Deps,
): Promise<Experiment> {
  return changeHolds(actor, experimentId, deps, ({ config }, at) =>
    openHold(config) === null ? beginHold(config, { at, reason, guardrail }) : null,
  );
}

/** Gives every user the variant of before. An experiment that is not held stays as it is. */
export function resumeExperiment(actor: Actor, experimentId: string, deps: Deps): Promise<Experiment> {
  return changeHolds(actor, experimentId, deps, ({ config }, at) =>
    openHold(config) === null ? null : endHold(config, at),
  );
}

/** Mints a version with other holds, in one transaction with its audit entry; with null, nothing changes. */
function changeHolds(
  actor: Actor,
  experimentId: string,
  deps: Deps,
  change: (current: Experiment, at: number) => readonly Hold[] | null,
): Promise<Experiment> {
  return changeConfig(actor, deps, async (stores) => {
    const current = await stores.experiments.lock(actor.orgId, experimentId);
    const at = deps.clock.now();
    const holds = change(current, at);
    if (holds === null) return current;
    const shared = await loadShared(actor.orgId, stores);
    const next = await mintVersion(current, { holds }, { stores, shared, at, by: actor.userId });
    await recordUpdate(stores, actor, { current, next }, deps);
    return next;
  });
}
