import { randomUUID } from "node:crypto";
import { addDays, dayOf, type TokenRole } from "@assay/domain";
import { experimentBody, metricBody, type WireExperiment } from "./experiments.ts";
import type { openStripeApi } from "./stripe-api.ts";
import type { TestService } from "./test-service.ts";

/** An org with everything that a route may need, and a second org beside it. */
export interface World {
  readonly api: TestService;
  /** A service that receives Clerk's webhooks, which a service with local identity does not. */
  readonly clerk: { readonly api: TestService; readonly secret: string };
  readonly stripe: Awaited<ReturnType<typeof openStripeApi>>;
  readonly orgId: string;
  readonly experiment: WireExperiment;
  /** Service tokens of the org. */
  readonly tokens: Readonly<Record<TokenRole, string>>;
}

export interface ValidRequest {
  readonly path: string;
  readonly body?: unknown;
  /** The session that the request belongs to; a new one of the caller when absent. */
  readonly token?: string;
}

/** A night of the world's experiment that has a run. */
export const YESTERDAY = addDays(dayOf(Date.now()), -1);
/** A call of the world's experiment that a judge has scored. */
export const JUDGED_CALL = "judged-call";
/** Of every experiment that `newExperiment` makes. */
export const JUDGED_METRIC = "tone";

/** Makes a service token of the owner's org, which lasts a day. */
export async function newToken(api: TestService, role: TokenRole): Promise<string> {
  const body = { name: `${role} of a pipeline`, role, expires_in_days: 1 };
  return (await api.call<{ token: string }>("POST", "/v1/service-tokens", { body })).body.token;
}

/** Makes an experiment in the org. */
export async function newExperiment(
  api: TestService,
  change: Readonly<Record<string, unknown>> = {},
): Promise<WireExperiment> {
  const judge = { rubric: "Is it polite?" };
  const metrics = [
    metricBody("bought", { kind: "binary" }),
    metricBody(JUDGED_METRIC, { kind: "ratio", category: "quality", judge }),
  ];
  const body = experimentBody(randomUUID(), { metrics, ...change });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}

export async function shareMetric(api: TestService) {
  const metric = metricBody(randomUUID(), { shared_org_wide: true });
  const body = experimentBody(randomUUID(), { metrics: [metric] });
  await api.call("POST", "/v1/experiments", { body });
  return metric;
}

export async function newMember(api: TestService): Promise<string> {
  const token = await api.token({ email: someEmail("team.org"), role: "member" });
  return (await api.call<{ user_id: string }>("GET", "/v1/whoami", { token })).body.user_id;
}

export const someEmail = (domain: string) => `${randomUUID()}@${domain}`;

export const somePrice = () => ({
  model: randomUUID(),
  effective_from: "2026-01-01",
  input_usd_per_million: 1,
  output_usd_per_million: 2,
});

/** Two answers to the same question, one of each variant. */
export function comparedCalls(experiment: WireExperiment) {
  return ["control", "treatment"].map((variant) => ({
    ...exposure(experiment, `asker-of-${variant}`),
    ...{ type: "model_call", event_id: comparedCall(variant), variant, prompt: "Why?", response: "So." },
  }));
}

export const comparedCall = (variant: string) => `compared-${variant}`;

/** A fresh exposure of a user. */
export function exposure({ id }: WireExperiment, userId: string) {
  return {
    event_id: randomUUID(),
    type: "exposure",
    experiment_id: id,
    user_id: userId,
    timestamp: Date.now(),
  };
}
