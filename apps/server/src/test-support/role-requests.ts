import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { alertRequests } from "./alert-requests.ts";
import { createAuthenticator } from "./authenticator.ts";
import { datasetRequests } from "./dataset-requests.ts";
import { experimentBody } from "./experiments.ts";
import { judgingRequests } from "./judging-requests.ts";
import { addPasskey, challengeOf, ORIGIN, RP_ID } from "./passkeys.ts";
import { placeDemo } from "./place-demo.ts";
import { rehearsalRequests } from "./rehearsal-requests.ts";
import {
  comparedCall,
  exposure,
  newExperiment,
  newMember,
  shareMetric,
  someEmail,
  somePrice,
  type ValidRequest,
  type World,
  YESTERDAY,
} from "./role-objects.ts";
import { signStripe } from "./stripe-api.ts";
import type { TestService } from "./test-service.ts";

/** The callers of docs/roles.md, in the order of its columns. */
export const CALLERS = [
  "none",
  "bad",
  "publishable",
  "secret",
  "signed",
  "member",
  "admin",
  "owner",
  "platform owner",
  "member token",
  "admin token",
  "other org",
] as const;
export type RouteCaller = (typeof CALLERS)[number];
export const PLATFORM_OWNER = "boss@platform.org";
const OTHER_ORG = "strangers";
const PIPELINE_TOKEN = { name: "pipeline", role: "member", expires_in_days: 1 };

type Make = (world: World, caller: RouteCaller) => ValidRequest | Promise<ValidRequest>;

/** A valid request of every route that takes more than its bare address; what it changes is made for it alone. */
const REQUESTS: Readonly<Record<string, Make>> = {
  "POST /v1/experiments": () => ({ path: "/v1/experiments", body: experimentBody(randomUUID()) }),
  "PUT /v1/experiments/{id}": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}`,
    body: { description: randomUUID() },
  }),
  "DELETE /v1/experiments/{id}": async ({ api }) => ({
    path: `/v1/experiments/${(await newExperiment(api, { status: "draft" })).id}`,
  }),
  "GET /v1/experiments/{id}/events/{event_id}": async ({ api, experiment: { id } }) => {
    interface Page {
      readonly items: readonly { readonly event_id: string }[];
    }
    const { body } = await api.call<Page>("GET", `/v1/experiments/${id}/events?limit=1`);
    return { path: `/v1/experiments/${id}/events/${body.items[0]?.event_id}` };
  },
  "POST /v1/experiments/{id}/runs": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/runs`,
    body: { day: YESTERDAY },
  }),
  "POST /v1/experiments/{id}/hold": async ({ api }) => ({
    path: `/v1/experiments/${(await newExperiment(api)).id}/hold`,
  }),
  "GET /v1/experiments/{id}/results/{day}/evidence": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/results/${YESTERDAY}/evidence?metric=bought&treatment=treatment&format=python`,
  }),
  "GET /v1/users/{user_id}/events": () => ({ path: "/v1/users/user-1/events" }),
  "DELETE /v1/users/{user_id}": () => ({ path: `/v1/users/${randomUUID()}` }),
  "POST /v1/experiments/{id}/exclusions": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/exclusions`,
    body: { reason: "Bots.", match: { user_ids: [randomUUID()] } },
  }),
  "POST /v1/experiments/{id}/exclusions/{number}/lift": async ({ api }) => {
    const path = `/v1/experiments/${(await newExperiment(api)).id}/exclusions`;
    await api.call("POST", path, { body: { reason: "Bots.", match: { user_ids: ["u1"] } } });
    return { path: `${path}/1/lift`, body: { reason: "They were real." } };
  },
  "GET /v1/experiments/{id}/report-links": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/report-links`,
  }),
  "POST /v1/experiments/{id}/report-links": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/report-links`,
    body: {},
  }),
  "DELETE /v1/experiments/{id}/report-links/{link_id}": async ({ api, experiment: { id } }) => {
    const path = `/v1/experiments/${id}/report-links`;
    const { body } = await api.call<{ id: string }>("POST", path, { body: {} });
    return { path: `${path}/${body.id}` };
  },
  "PUT /v1/report-link-setting": () => ({ path: "/v1/report-link-setting", body: { allowed: true } }),
  ...alertRequests,
  ...datasetRequests,
  ...judgingRequests,
  ...rehearsalRequests,
  "POST /v1/experiments/{id}/picks": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/picks`,
    body: { event_ids: ["control", "treatment"].map(comparedCall), best: null },
  }),
  "POST /v1/experiments/{id}/plan": ({ experiment: { id } }) => ({
    path: `/v1/experiments/${id}/plan`,
    body: {},
  }),
  "GET /v1/metrics/{name}": async ({ api }) => ({ path: `/v1/metrics/${(await shareMetric(api)).name}` }),
  "PUT /v1/metrics/{name}": async ({ api }) => {
    const metric = await shareMetric(api);
    return { path: `/v1/metrics/${metric.name}`, body: { ...metric, description: randomUUID() } };
  },
  "POST /v1/plan": () => ({
    path: "/v1/plan",
    body: { experiment: experimentBody(randomUUID()) },
  }),
  // Five an hour are allowed on one experiment.
  "POST /v1/experiments/{id}/test-event": async ({ api }) => ({
    path: `/v1/experiments/${(await newExperiment(api)).id}/test-event`,
  }),
  "POST /v1/demo": async ({ api, orgId }, caller) => {
    await placeDemo(api, caller === "other org" ? await otherOrgId(api) : orgId);
    return { path: "/v1/demo" };
  },
  "POST /v1/assign": ({ experiment: { id } }) => ({
    path: "/v1/assign",
    body: { experiment_id: id, user_id: "ann" },
  }),
  "POST /ofrep/v1/evaluate/flags/{key}": ({ experiment: { name } }) => ({
    path: `/ofrep/v1/evaluate/flags/${name}`,
    body: { context: { targetingKey: "ann" } },
  }),
  "POST /ofrep/v1/evaluate/flags": () => ({
    path: "/ofrep/v1/evaluate/flags",
    body: { context: { targetingKey: "ann" } },
  }),
  "POST /v1/events": ({ experiment }) => ({
    path: "/v1/events",
    body: [exposure(experiment, "ann"), exposure(experiment, "bob")],
  }),
  "POST /v1/events/import": ({ experiment }) => ({
    path: "/v1/events/import",
    body: [exposure(experiment, "ann")],
  }),
  "POST /v1/otlp/v1/traces": () => ({ path: "/v1/otlp/v1/traces", body: {} }),
  "POST /v1/otlp/v1/logs": () => ({ path: "/v1/otlp/v1/logs", body: {} }),
  "POST /v1/otlp/v1/metrics": () => ({ path: "/v1/otlp/v1/metrics", body: {} }),
  "POST /api/public/otel/v1/traces": () => ({ path: "/api/public/otel/v1/traces", body: {} }),
  "POST /api/public/ingestion": () => ({ path: "/api/public/ingestion", body: { batch: [] } }),
  "POST /api/public/scores": () => ({
    ...{ path: "/api/public/scores", body: { name: "helpful", value: 1, traceId: "t" } },
  }),
  "POST /v1/business-events": ({ experiment: { id } }) => ({
    path: "/v1/business-events",
    body: { experiment_id: id, user_id: "ann", business_metric: "bought" },
  }),
  "POST /v1/keys": () => ({ path: "/v1/keys", body: { scope: "publishable" } }),
  "PUT /v1/keys/publishable": async ({ api }, caller) => {
    const token = caller === "other org" ? await tokenOf(api, caller) : await api.token();
    await api.call("POST", "/v1/keys", { token, body: { scope: "publishable" } });
    return { path: "/v1/keys/publishable", body: { allowed_origins: null } };
  },
  "GET /v1/keys/{scope}/reveal": async ({ api }, caller) => {
    const token = caller === "other org" ? await tokenOf(api, caller) : await api.token();
    await api.call("POST", "/v1/keys", { token, body: { scope: "secret" } });
    return { path: "/v1/keys/secret/reveal" };
  },
  "PUT /v1/members/{id}": async ({ api }) => ({
    path: `/v1/members/${await newMember(api)}`,
    body: { role: "admin" },
  }),
  "DELETE /v1/members/{id}": async ({ api }) => ({ path: `/v1/members/${await newMember(api)}` }),
  "POST /v1/invitations": () => ({ path: "/v1/invitations", body: { email: someEmail("invited.org") } }),
  "DELETE /v1/invitations/{id}": async ({ api }) => {
    const made = await api.call<{ id: string }>("POST", "/v1/invitations", {
      body: { email: someEmail("invited.org") },
    });
    return { path: `/v1/invitations/${made.body.id}` };
  },
  "POST /v1/passkeys/confirmation-options": async ({ api }, caller) => {
    const path = "/v1/passkeys/confirmation-options";
    return isPerson(caller) ? { path, token: (await withPasskey(api, caller)).token } : { path };
  },
  "POST /v1/passkeys": async ({ api }, caller) => {
    const path = "/v1/passkeys";
    if (!isPerson(caller)) return { path, body: { name: "Laptop", credential: {} } };
    const token = await tokenOf(api, caller);
    const challenge = await challengeOf(api, token, "registration");
    const credential = createAuthenticator().create({ challenge, origin: ORIGIN, rpId: RP_ID });
    return { path, body: { name: "Laptop", credential }, token };
  },
  "POST /v1/passkeys/confirm": async ({ api }, caller) => {
    const path = "/v1/passkeys/confirm";
    if (!isPerson(caller)) return { path, body: { credential: {} } };
    const { token, authenticator } = await withPasskey(api, caller);
    const challenge = await challengeOf(api, token, "confirmation");
    const credential = authenticator.get({ challenge, origin: ORIGIN, rpId: RP_ID });
    return { path, body: { credential }, token };
  },
  "DELETE /v1/passkeys/{id}": async ({ api }, caller) => {
    const holder = isPerson(caller) && caller !== "other org" ? caller : "owner";
    return { path: `/v1/passkeys/${(await withPasskey(api, holder)).authenticator.id}` };
  },
  "PUT /v1/passkey-requirement": () => ({ path: "/v1/passkey-requirement", body: { required: false } }),
  "DELETE /v1/members/{id}/passkeys": async ({ api }) => ({
    path: `/v1/members/${await newMember(api)}/passkeys`,
  }),
  "POST /v1/service-tokens": () => ({ path: "/v1/service-tokens", body: PIPELINE_TOKEN }),
  "DELETE /v1/service-tokens/{id}": async ({ api }) => {
    const options = { body: PIPELINE_TOKEN };
    const made = await api.call<{ id: string }>("POST", "/v1/service-tokens", options);
    return { path: `/v1/service-tokens/${made.body.id}` };
  },
  "PUT /v1/prices": () => ({ path: "/v1/prices", body: somePrice() }),
  "DELETE /v1/prices": async ({ api }) => {
    const price = somePrice();
    await api.call("PUT", "/v1/prices", { body: price });
    return { path: `/v1/prices?model=${price.model}&effective_from=${price.effective_from}` };
  },
  "POST /v1/billing/checkout-session": () => ({
    path: "/v1/billing/checkout-session",
    body: { plan: "pro" },
  }),
  "POST /v1/feedback": () => ({
    path: "/v1/feedback",
    body: { message: "It works.", category: "other" },
  }),
  "POST /v1/shared-report": async ({ api, experiment: { id } }) => {
    const path = `/v1/experiments/${id}/report-links`;
    const { body } = await api.call<{ path: string }>("POST", path, { body: { expires_in_days: 1 } });
    return { path: "/v1/shared-report", body: { token: body.path.split("#")[1] } };
  },
  "POST /v1/contact": () => ({
    path: "/v1/contact",
    body: { name: "Ann", email: "ann@x.org", message: "Hello.", website: "" },
  }),
  "POST /v1/webhooks/clerk": () => ({
    path: "/v1/webhooks/clerk",
    body: { type: "user.created", object: "event", timestamp: Date.now(), data: { id: randomUUID() } },
  }),
  "POST /v1/webhooks/stripe": () => ({
    path: "/v1/webhooks/stripe",
    body: { id: randomUUID(), object: "event", type: "invoice.paid", created: 1, data: { object: {} } },
  }),
  "GET /v1/admin/orgs/{id}": ({ orgId }) => ({ path: `/v1/admin/orgs/${orgId}` }),
  "PUT /v1/admin/orgs/{id}/plan-override": ({ orgId }) => ({
    path: `/v1/admin/orgs/${orgId}/plan-override`,
    body: { plan: null },
  }),
  "POST /v1/admin/dead-letters/replay": () => ({ path: "/v1/admin/dead-letters/replay", body: {} }),
  // For one experiment only: a night of everything that the other routes have created takes fifteen times as
  // long.
  "POST /v1/admin/pipeline-runs": ({ experiment: { id } }) => ({
    path: "/v1/admin/pipeline-runs",
    body: { experiment_id: id },
  }),
};

/** Makes a valid request of a route (`GET /v1/…`); by default its address with the experiment's id. */
export async function validRequest(route: string, world: World, caller: RouteCaller): Promise<ValidRequest> {
  const make = REQUESTS[route];
  if (make) return make(world, caller);
  const [, path = ""] = route.split(" ");
  return { path: path.replace("{id}", world.experiment.id) };
}

/** The kind of credential that a route takes, as the OpenAPI document names it. */
export type Scheme = "session" | "key" | "signature" | "identitySignature" | "billingSignature" | "none";

/** Makes the headers by which a caller of a route shows who they are. */
export async function credentialOf(
  caller: RouteCaller,
  { scheme, body }: { readonly scheme: Scheme; readonly body: string },
  world: World,
): Promise<Record<string, string>> {
  const { api } = world;
  switch (caller) {
    case "none":
      return {};
    case "bad":
      return badCredentials();
    case "publishable":
    case "secret":
      return { "x-api-key": await api.newKey(caller) };
    case "signed":
      return signature(scheme, body, { world, secret: await newSecret(api, await api.token()) });
    case "other org":
      return otherOrg(scheme, body, world);
    case "member token":
    case "admin token":
      return { authorization: `Bearer ${world.tokens[caller === "admin token" ? "admin" : "member"]}` };
    default:
      return { authorization: `Bearer ${await tokenOf(api, caller)}` };
  }
}

async function otherOrgId(api: TestService): Promise<string> {
  const token = await tokenOf(api, "other org");
  return (await api.call<{ org_id: string }>("GET", "/v1/whoami", { token })).body.org_id;
}

async function otherOrg(scheme: Scheme, body: string, world: World): Promise<Record<string, string>> {
  const token = await tokenOf(world.api, "other org");
  if (scheme === "session" || scheme === "none") return { authorization: `Bearer ${token}` };
  if (scheme !== "key") return standard("webhook", body, await newSecret(world.api, token));
  const made = await world.api.call<{ key: string }>("POST", "/v1/keys", {
    token,
    body: { scope: "secret" },
  });
  return { "x-api-key": made.body.key };
}

function signature(
  scheme: Scheme,
  body: string,
  { world, secret }: { readonly world: World; readonly secret: string },
): Record<string, string> {
  if (scheme === "billingSignature") return { "billing-signature": signStripe(body, Date.now()) };
  if (scheme === "identitySignature") return standard("svix", body, world.clerk.secret);
  return standard("webhook", body, secret);
}

function standard(prefix: string, body: string, secret: string): Record<string, string> {
  const [id, at] = [randomUUID(), new Date()];
  return {
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
    [`${prefix}-signature`]: new Webhook(secret).sign(id, at, body),
  };
}

function badCredentials(): Record<string, string> {
  const never = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  return {
    authorization: "Bearer eyJhbGciOiJub25lIn0.e30.",
    "x-api-key": "svc_sk_nobodys",
    "billing-signature": "t=1,v1=00",
    ...standard("webhook", "", never),
    ...standard("svix", "", never),
  };
}

type Person = Extract<RouteCaller, "member" | "admin" | "owner" | "platform owner" | "other org">;

/** A session of the person; that of the platform owner is a member's in the org. */
function tokenOf(api: TestService, caller: Person): Promise<string> {
  if (caller === "other org")
    return api.token({ email: "stranger@elsewhere.org", role: "owner", org: OTHER_ORG });
  if (caller === "platform owner") return api.token({ email: PLATFORM_OWNER, role: "member" });
  return api.token({ email: `${caller}@team.org`, role: caller });
}

const isPerson = (caller: RouteCaller): caller is Person =>
  ["member", "admin", "owner", "platform owner", "other org"].includes(caller);

/** Adds a passkey to the person, in a session of theirs. */
async function withPasskey(api: TestService, person: Person) {
  const [token, authenticator] = [await tokenOf(api, person), createAuthenticator()];
  await addPasskey(api, token, authenticator);
  return { token, authenticator };
}

async function newSecret(api: TestService, token: string): Promise<string> {
  return (await api.call<{ secret: string }>("POST", "/v1/webhook-secrets", { token })).body.secret;
}
