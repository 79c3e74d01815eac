import {
  BUILT_IN_PRICES,
  type ControlPlane,
  type Day,
  dayOf,
  type Experiment,
  mergePrices,
  type PriceList,
  priceList,
} from "@assay/domain";

interface PriceDeps {
  readonly control: Pick<ControlPlane, "modelPrices">;
}

/** Loads what every model costs the org as of a day. */
export async function loadPrices(orgId: string, asOf: Day, { control }: PriceDeps): Promise<PriceList> {
  return priceList(mergePrices(BUILT_IN_PRICES, await control.modelPrices.list(orgId)), asOf);
}

/** Loads the one list of an experiment: the prices when it was created, so that no later one moves an arm or a night. */
export function loadExperimentPrices(experiment: Experiment, deps: PriceDeps): Promise<PriceList> {
  return loadPrices(experiment.orgId, dayOf(experiment.createdAt), deps);
}
