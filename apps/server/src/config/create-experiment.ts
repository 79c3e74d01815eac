import {
  type Caller,
  type ConfigInput,
  type ControlStores,
  datedConfig,
  type Experiment,
  type ExperimentConfig,
  firstVersion,
  rejectUnreadable,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { changeConfig, recordCreate, shareNew } from "./change-config.ts";
import { loadShared } from "./change-shared-metric.ts";

/** Creates an experiment at version 1; `also` runs in the same transaction. Throws `invalid-body` with every fault. */
export function createExperiment(
  caller: Caller,
  input: ConfigInput,
  deps: Deps,
  also: (stores: ControlStores, created: Experiment) => Promise<void> = async () => undefined,
): Promise<Experiment> {
  const id = deps.newId();
  return changeConfig(caller, deps, async (stores) => {
    const shared = await loadShared(caller.orgId, stores);
    const content = firstVersion(input, shared);
    await rejectHidden(caller.orgId, content.config, stores);
    const at = deps.clock.now();
    const created = await stores.experiments.create({
      bucketMap: content.bucketMap,
      config: datedConfig(content.config, null, at),
      id,
      orgId: caller.orgId,
      version: 1,
      at,
      by: caller.userId,
    });
    await recordCreate(stores, caller, created, deps);
    await shareNew(stores, caller, { saved: created, shared }, deps);
    await also(stores, created);
    return created;
  });
}

/** Throws `invalid-body` when no key of the org could read what the experiment hides. Reads the keys only when it hides something. */
export async function rejectHidden(
  orgId: string,
  config: ExperimentConfig,
  { keys }: Pick<ControlStores, "keys">,
): Promise<void> {
  if (config.visibility === "client") return;
  rejectUnreadable(
    config,
    (await keys.list(orgId)).map(({ scope }) => scope),
  );
}
