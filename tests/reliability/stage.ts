import { seededRandom } from "../e2e/support/seeded-random.ts";
import { expectOk, send } from "../e2e/support/service.ts";
import { type Credentials, type Deployment, openCredentials, startDeployment } from "./deployment.ts";
import type { Times } from "./faults.ts";
import type { LoadedExperiment, LoadPlan } from "./load.ts";
import { SteadySender } from "./steady-sender.ts";

/** A deployment with a sender. */
export interface Stage {
  readonly deployment: Deployment;
  readonly sender: SteadySender;
  readonly plan: LoadPlan;
  readonly credentials: Credentials;
  readonly times: Times;
  /** Events sent besides the load, all acknowledged. */
  readonly others: { events: number };
}

interface StageOptions {
  readonly batchSize: number;
  readonly batchesPerSecond: number;
  readonly times: Times;
}

const SEED = 20_261_122;

/**
 * Starts a deployment with two experiments for the load. The first has few buckets, which are soon all
 * claimed, and its events name the variant, so they never need the database. In the second, each new user
 * claims a bucket and the service derives the variant.
 */
export async function openStage({ batchSize, batchesPerSecond, times }: StageOptions): Promise<Stage> {
  const deployment = await startDeployment();
  const credentials = await openCredentials(deployment);
  const url = deployment.apis[0]!.url;
  const create = async (name: string, buckets: number): Promise<string> =>
    (
      await expectOk(
        send<{ id: string }>(`${url}/v1/experiments`, "POST", {
          headers: credentials.session,
          body: experimentBody(name, buckets),
        }),
      )
    ).id;
  const experiments: readonly LoadedExperiment[] = [
    { id: await create("settled", 20), saysVariant: true },
    { id: await create("growing", 1_000_000), saysVariant: false },
  ];
  const plan = { batchSize, experiments };
  const urls = deployment.apis.map((api) => api.url);
  const options = { urls, key: credentials.key, plan, batchesPerSecond, random: seededRandom(SEED) };
  return { deployment, sender: new SteadySender(options), plan, credentials, times, others: { events: 0 } };
}

/** A running experiment with two equal arms and one metric. */
export function experimentBody(name: string, buckets: number): object {
  const allocation = ["control", "treatment"].map((variant) => ({ variant, weight: 1 }));
  const bought = { name: "bought", kind: "binary", category: "business", method_default: "auto" };
  return {
    name,
    salt: `salt-${name}`,
    bucket_count: buckets,
    allocation,
    metrics: [{ ...bought, metric_version: 1, shared_org_wide: false }],
  };
}
