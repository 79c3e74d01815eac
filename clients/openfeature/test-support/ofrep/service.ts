import { findAssignmentIn } from "@assay/client/rendering";
import { parseSettings } from "../../../../apps/server/src/settings.ts";
import { experimentBody, type WireExperiment } from "../../../../apps/server/src/test-support/experiments.ts";
import { openTestService, type TestService } from "../../../../apps/server/src/test-support/test-service.ts";

export const PROMPT = "Be brief.";
/** A provider's time for that many requests, on a machine that others use too. */
export const timeoutOf = (users: number): number => 120_000 + 20 * users;

export const VARIABLES = { temperature: 0.2, tools: ["search"] };

/** A real service with one experiment, and what our client gives its users. */
export interface FlagService {
  readonly api: TestService;
  readonly key: string;
  readonly experiment: WireExperiment;
  /** The variant that our client gives a user, by the config that the service serves it. */
  variantOf(user: string): string | null;
  stop(): Promise<void>;
}

/** Starts the service. One user in ten has no variant. */
export async function openFlagService(): Promise<FlagService> {
  const { rateLimits } = parseSettings({});
  const many = { assignPerSecond: 1e9, configPerSecond: 1e9 };
  const api = await openTestService({ rateLimits: { ...rateLimits, ...many } });
  const key = await api.newKey("publishable");
  const keys = ["control", "brief", "kind"];
  const body = experimentBody("shared", {
    ...{ assignment: "assay", bucket_count: 10_000, coverage: 0.9 },
    allocation: keys.map((variant, index) => ({ variant, weight: index + 1 })),
    variants: keys.map((one) => ({ key: one, prompt: PROMPT, variables: VARIABLES })),
  });
  const experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  const config = (await api.call("GET", "/v1/config", { key })).body;
  return {
    ...{ api, key, experiment },
    variantOf: (user) => findAssignmentIn(config, experiment.id, user)?.variant.key ?? null,
    stop: () => api.stop(),
  };
}
