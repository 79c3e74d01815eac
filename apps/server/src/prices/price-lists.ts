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

/** Loads the org's prices of all models as of a day. */
export async function loadPrices(orgId: string, asOf: Day, { control }: PriceDeps): Promise<PriceList> {
  return priceList(mergePrices(BUILT_IN_PRICES, await control.modelPrices.list(orgId)), asOf);
}

/** Loads the price list of an experiment: the prices when it was created, so that later changes affect no arm and no night. */
export function loadExperimentPrices(experiment: Experiment, deps: PriceDeps): Promise<PriceList> {
  return loadPrices(experiment.orgId, dayOf(experiment.createdAt), deps);
}
