import {
  createBatchEventProcessor,
  createInstance,
  createStaticProjectConfigManager,
  OptimizelyDecideOption,
} from "@optimizely/optimizely-sdk";
import { type Contestant, EXPERIMENT_NAME, VARIANT_KEYS } from "./contestant.ts";

/** The batch size of our client; Optimizely's default is 10. */
const BATCH_EVENTS = 100;
const EXPERIMENT_ID = "3000";

/**
 * Optimizely with a datafile: a user context per request, and batched events for a dispatcher that sends
 * nothing.
 */
export async function startOptimizely(recordsExposures: boolean): Promise<Contestant> {
  let dispatchedBytes = 0;
  const client = createInstance({
    projectConfigManager: createStaticProjectConfigManager({ datafile: JSON.stringify(datafile()) }),
    eventProcessor: createBatchEventProcessor({
      batchSize: BATCH_EVENTS,
      eventDispatcher: {
        async dispatchEvent({ params }) {
          dispatchedBytes += JSON.stringify(params).length;
          return { statusCode: 200 };
        },
      },
    }),
    defaultDecideOptions: recordsExposures ? [] : [OptimizelyDecideOption.DISABLE_DECISION_EVENT],
  });
  await client.onReady();
  return {
    decide: (user) => client.createUserContext(user).decide(EXPERIMENT_NAME).variationKey,
    async settle() {
      await null;
    },
    async stop() {
      await client.close();
      if (recordsExposures && dispatchedBytes === 0) throw new Error("Optimizely dispatched no event.");
    },
  };
}

/** The experiment in the format of Optimizely's libraries. */
export function datafile(): object {
  const variations = VARIANT_KEYS.map((key, index) => ({
    id: `400${index}`,
    key,
    featureEnabled: true,
    variables: [],
  }));
  const experiment = {
    id: EXPERIMENT_ID,
    key: EXPERIMENT_NAME,
    layerId: "2000",
    status: "Running",
    variations,
    trafficAllocation: variations.map(({ id }, index) => ({
      entityId: id,
      endOfRange: (index + 1) * 5000,
    })),
    audienceIds: [],
    forcedVariations: {},
  };
  const flag = {
    id: "1000",
    key: EXPERIMENT_NAME,
    rolloutId: "",
    experimentIds: [EXPERIMENT_ID],
    variables: [],
  };
  return {
    version: "4",
    revision: "1",
    accountId: "1",
    projectId: "1",
    sdkKey: "bench",
    environmentKey: "production",
    anonymizeIP: true,
    botFiltering: false,
    sendFlagDecisions: true,
    experiments: [experiment],
    featureFlags: [flag],
    rollouts: [],
    groups: [],
    audiences: [],
    typedAudiences: [],
    attributes: [],
    events: [],
    variables: [],
    integrations: [],
  };
}
