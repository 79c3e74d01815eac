import { once } from "node:events";
import { type Context, InMemStorageProvider, Unleash, UnleashEvents } from "unleash-client";
import { AppExposures, type Contestant, EXPERIMENT_NAME, VARIANT_KEYS } from "./contestant.ts";

/** The part of its impression event that an exposure needs. */
interface Impression {
  readonly context: Context;
  readonly variant?: string;
}

/**
 * Unleash with bootstrap data. Its own metrics count decisions, not users; its impression events count users.
 */
export async function startUnleash(recordsExposures: boolean): Promise<Contestant> {
  const exposures = new AppExposures();
  const client = new Unleash({
    appName: "bench",
    // Never called: an interval of 0 disables fetching.
    url: "http://127.0.0.1:1/",
    refreshInterval: 0,
    disableMetrics: true,
    storageProvider: new InMemStorageProvider(),
    bootstrap: { data: [feature(recordsExposures)] },
  });
  await once(client, UnleashEvents.Ready);
  client.on(UnleashEvents.Impression, ({ context, variant }: Impression) =>
    exposures.record(context.userId ?? "", variant ?? ""),
  );
  return {
    decide: (user) => client.getVariant(EXPERIMENT_NAME, { userId: user }).name,
    async settle() {
      exposures.clear();
    },
    async stop() {
      client.destroy();
    },
  };
}

/** The experiment in the format of Unleash's libraries. */
export function feature(impressionData: boolean) {
  const variants = VARIANT_KEYS.map((name) => ({ name, weight: 500, stickiness: "userId" }));
  const parameters = { rollout: "100", stickiness: "userId", groupId: EXPERIMENT_NAME };
  return {
    name: EXPERIMENT_NAME,
    enabled: true,
    impressionData,
    strategies: [{ name: "flexibleRollout", parameters, constraints: [], variants }],
  };
}
