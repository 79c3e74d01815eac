import { randomBytes } from "node:crypto";
import { FuzzError } from "./fuzz-error.ts";
import type { FuzzedService } from "./service.ts";

/** The credentials and ids that fuzz/hooks.py needs. */
export interface World {
  readonly session?: string;
  /** Session of somebody who ends all of theirs. */
  readonly leaver?: string;
  readonly key?: string;
  /** How the addresses of routes with a key begin. */
  readonly keyPaths?: readonly string[];
  /** By path: how a request is signed, and with which secret. */
  readonly signatures: Readonly<
    Record<string, { readonly scheme: "standard" | "billing"; readonly secret: string }>
  >;
  /** Name or id of an experiment of the key's org. */
  readonly experiment?: string;
  /** Name of a metric that a judge scores. */
  readonly judgedMetric?: string;
  /** Existing ids, by the prefix of the paths that take them. The first matching prefix counts. */
  readonly ids: Readonly<Record<string, string>>;
}

const EXPERIMENT = {
  name: "fuzzed",
  salt: "fuzzed",
  bucket_count: 100,
  allocation: [
    { variant: "control", weight: 1 },
    { variant: "treatment", weight: 1 },
  ],
  metrics: [
    {
      name: "bought",
      kind: "binary",
      category: "business",
      method_default: "auto",
      metric_version: 1,
      shared_org_wide: false,
    },
  ],
};

const JUDGED_METRIC = "tone";
/** Nothing changes it, so requests for its judged metric always find it. */
const JUDGED_EXPERIMENT = {
  ...EXPERIMENT,
  name: "judged",
  metrics: [
    {
      name: JUDGED_METRIC,
      kind: "ratio",
      category: "quality",
      method_default: "auto",
      metric_version: 1,
      shared_org_wide: false,
      judge: { rubric: "Is it polite?" },
    },
  ],
};

/**
 * Creates what the routes need. The fuzzed org may rotate its keys, so the run's own keys belong to another
 * org.
 */
export async function prepareWorld({ url, tokenOf }: FuzzedService): Promise<World> {
  const callAs = (token: string) => async (line: string, body?: object) => {
    const [method = "", path] = line.split(" ");
    const type = body ? { "content-type": "application/json" } : {};
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...type },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new FuzzError(`${line}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const session = tokenOf("fuzzed");
  const [fuzzed, steady] = [callAs(session), callAs(tokenOf("steady"))];
  const member = callAs(tokenOf("fuzzed", ["--email", "member@example.com", "--role", "member"]));
  const idOf = async (made: Promise<Record<string, string>>, name = "id") => (await made)[name] ?? "";
  const judged = await idOf(fuzzed("POST /v1/experiments", JUDGED_EXPERIMENT));
  return {
    session,
    leaver: tokenOf("fuzzed", ["--email", "leaver@example.com", "--role", "member"]),
    key: await idOf(steady("POST /v1/keys", { scope: "secret" }), "key"),
    keyPaths: ["/v1/assign", "/v1/events", "/v1/config", "/ofrep/", "/api/public/"],
    signatures: {
      "/v1/business-events": {
        scheme: "standard",
        secret: await idOf(steady("POST /v1/webhook-secrets"), "secret"),
      },
    },
    experiment: await idOf(steady("POST /v1/experiments", EXPERIMENT)),
    judgedMetric: JUDGED_METRIC,
    ids: {
      "/v1/experiments/{id}/judgements": judged,
      "/v1/experiments/{id}/labels": judged,
      "/v1/experiments/": await idOf(fuzzed("POST /v1/experiments", EXPERIMENT)),
      "/v1/admin/orgs/": await idOf(steady("GET /v1/whoami"), "org_id"),
      "/v1/invitations/": await idOf(fuzzed("POST /v1/invitations", { email: "guest@example.com" })),
      "/v1/members/": await idOf(member("GET /v1/whoami"), "user_id"),
    },
  };
}

const identitySecret = `whsec_${randomBytes(24).toString("base64")}`;
const billingSecret = `whsec_${randomBytes(24).toString("hex")}`;

/** Settings of a service that accepts providers' webhooks. Their other URLs are never called. */
export const PROVIDER_SETTINGS: Readonly<Record<string, string>> = {
  ASSAY_IDENTITY: "clerk",
  ASSAY_IDENTITY_ISSUER: "https://clerk.example.com",
  ASSAY_IDENTITY_AUDIENCE: "assay",
  ASSAY_IDENTITY_WEBHOOK_SECRET: identitySecret,
  ASSAY_BILLING_SECRET_KEY: "sk_test_fuzz",
  ASSAY_BILLING_WEBHOOK_SECRET: billingSecret,
  ASSAY_BILLING_PRICE_PRO: "price_pro",
  ASSAY_BILLING_PRICE_BUSINESS: "price_business",
  ASSAY_BILLING_API_URL: "http://127.0.0.1:9",
};

/** Sending webhooks to such a service needs only their secrets. */
export const PROVIDER_WORLD: World = {
  signatures: {
    "/v1/webhooks/clerk": { scheme: "standard", secret: identitySecret },
    "/v1/webhooks/stripe": { scheme: "billing", secret: billingSecret },
  },
  ids: {},
};
