import { completeRun } from "@assay/contract";
import { type Experiment, hasEnded, type RehearsedExperiment, resultsOf } from "@assay/domain";
import { type LedgerPair, ledgerPairs } from "@assay/pipeline";
import type { Deps } from "../deps.ts";

/** The newest experiments that the ledger reads. */
const LISTED = 200;

/** An experiment that comes from a rehearsal, with what both found. */
export interface LedgerItem {
  readonly origin: RehearsedExperiment;
  readonly experiment: Experiment;
  /** Empty before the experiment has ended, because its results still change. */
  readonly pairs: readonly LedgerPair[];
}

/** Loads the org's experiments that come from rehearsals, newest first. */
export async function loadLedger(
  orgId: string,
  { control }: Pick<Deps, "control">,
): Promise<readonly LedgerItem[]> {
  const origins = await control.rehearsals.listExperiments(orgId, LISTED);
  const experiments = new Map((await control.experiments.list(orgId)).map((one) => [one.id, one]));
  const items: LedgerItem[] = [];
  for (const origin of origins) {
    const experiment = experiments.get(origin.experimentId);
    if (experiment !== undefined)
      items.push({ origin, experiment, pairs: await pairsOf(origin, experiment, { control }) });
  }
  return items;
}

async function pairsOf(
  { rehearsalId, rows }: RehearsedExperiment,
  { orgId, id, config }: Experiment,
  { control }: Pick<Deps, "control">,
): Promise<readonly LedgerPair[]> {
  if (!hasEnded(config.status)) return [];
  const rehearsal = await control.rehearsals.find(orgId, rehearsalId);
  const run = await control.results.find(orgId, id);
  if (rehearsal === null || run === null) return [];
  const results = Object.values(completeRun(resultsOf(run)).results);
  return ledgerPairs({ plan: rehearsal.plan, rows, metrics: config.metrics, results });
}
