import {
  alertedOf,
  type ControlStores,
  type NewRun,
  nightAlerts,
  type ResultStore,
  resultsOf,
} from "@assay/domain";
import type { Deps } from "../deps.ts";

/**
 * Raises and ends alerts for a stored run, in its transaction. Only the newest night counts: manual runs and nights
 * that were computed late raise nothing. Neither does the demo.
 */
export async function raiseNightAlerts(run: NewRun, at: number, stores: ControlStores): Promise<void> {
  const { orgId, experimentId } = run;
  if (run.preliminary) return;
  const open = await stores.alerts.listOpen(orgId, experimentId);
  if (open.length === 0 && (await stores.alertChannels.list(orgId)).length === 0) return;
  const [newest] = await stores.results.listNightlyBefore(orgId, experimentId, { limit: 1 });
  if (newest === undefined || newest.windowTo > run.windowTo) return;
  const found = await stores.experiments.get(orgId, experimentId);
  if (found.isDemo) return;
  const isRunning = found.config.status === "running";
  const night = { orgId, experiment: alertedOf(found), isRunning, at, results: resultsOf(run) };
  const { raised, ended } = nightAlerts(night, open);
  for (const fact of ended) await stores.alerts.end({ ...fact, orgId, at });
  for (const alert of raised) await stores.alerts.raise(alert);
}

/** The result store for the pipeline: it stores a run together with the alerts that the run raises. */
export function alertingResults({
  control,
  clock,
}: Pick<Deps, "control" | "clock">): Pick<ResultStore, "put" | "listNightlyBefore"> {
  return {
    listNightlyBefore: (...query) => control.results.listNightlyBefore(...query),
    put: (run, summary) =>
      control.transaction(async (stores) => {
        const isNew = await stores.results.put(run, summary);
        if (isNew) await raiseNightAlerts(run, clock.now(), stores);
        return isNew;
      }),
  };
}
