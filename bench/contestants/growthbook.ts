import { GrowthBookClient } from "@growthbook/growthbook";
import { AppExposures, type Contestant, EXPERIMENT_NAME, VARIANT_KEYS } from "./contestant.ts";

/**
 * GrowthBook's client for servers: one per process, with a user context per request. Without exposures it has no
 * callback.
 */
export async function startGrowthBook(recordsExposures: boolean): Promise<Contestant> {
  const exposures = new AppExposures();
  const client = new GrowthBookClient(
    recordsExposures
      ? {
          trackingCallback: (_experiment, { hashValue, key }) => exposures.record(hashValue, key),
        }
      : {},
  );
  const rule = {
    key: EXPERIMENT_NAME,
    variations: [...VARIANT_KEYS],
    meta: VARIANT_KEYS.map((key) => ({ key })),
    weights: [0.5, 0.5],
    coverage: 1,
    hashAttribute: "id",
    hashVersion: 2,
  };
  client.initSync({
    payload: { features: { [EXPERIMENT_NAME]: { defaultValue: "none", rules: [rule] } } },
  });
  return {
    decide: (user) => client.getFeatureValue(EXPERIMENT_NAME, "none", { attributes: { id: user } }),
    async settle() {
      exposures.clear();
    },
    async stop() {
      client.destroy();
    },
  };
}
