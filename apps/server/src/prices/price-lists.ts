import {
  BUILT_IN_PRICES,
  type ControlPlane,
  type Day,
  dayOf,
  type Experiment,
  type ModelPrice,
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

/** Loads the price list of an experiment. */
export async function loadExperimentPrices(
  experiment: Experiment,
  { control }: PriceDeps,
): Promise<PriceList> {
  return experimentPrices(experiment, await control.modelPrices.list(experiment.orgId));
}

/** Makes an experiment's price list from its org's prices at its creation, so that later changes affect no arm and no night. */
export function experimentPrices(
  { createdAt }: Pick<Experiment, "createdAt">,
  own: readonly ModelPrice[],
): PriceList {
  return priceList(mergePrices(BUILT_IN_PRICES, own), dayOf(createdAt));
}
