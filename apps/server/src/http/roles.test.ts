import { readFileSync } from "node:fs";
import { join } from "node:path";
import { endOfDay, resultsOf, summarizeRun } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startIdentityProvider, type TestIdentityProvider } from "../test-support/identity-provider.ts";
import { judgeCalls } from "../test-support/judge-calls.ts";
import { ORIGIN } from "../test-support/passkeys.ts";
import {
  comparedCalls,
  exposure,
  JUDGED_CALL,
  JUDGED_METRIC,
  newExperiment,
  newToken,
  type World,
  YESTERDAY,
} from "../test-support/role-objects.ts";
import {
  CALLERS,
  credentialOf,
  PLATFORM_OWNER,
  type RouteCaller,
  type Scheme,
  validRequest,
} from "../test-support/role-requests.ts";
import { checkoutEvent, openStripeApi, signStripe, subscriptionEvent } from "../test-support/stripe-api.ts";
import { openTestService } from "../test-support/test-service.ts";

const TABLE = join(import.meta.dirname, "../../../../docs/roles.md");
const CLERK_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** Status by caller, of every route of the table. */
const rows = readRows();
let world: World;
let provider: TestIdentityProvider;
let schemes: ReadonlyMap<string, Scheme>;

function readRows(): ReadonlyMap<string, Readonly<Record<RouteCaller, number>>> {
  const cells = readFileSync(TABLE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  return new Map(
    cells.map(([, route = "", ...statuses]) => [
      route.replaceAll("`", ""),
      Object.fromEntries(CALLERS.map((caller, index) => [caller, Number(statuses[index])])) as Record<
        RouteCaller,
        number
      >,
    ]),
  );
}

beforeAll(async () => {
  provider = await startIdentityProvider(undefined, "clerk");
  const stripe = await openStripeApi();
  const clerk = await openTestService({ identity: { ...provider.settings, webhookSecret: CLERK_SECRET } });
  const api = await openTestService({
    billing: stripe.settings,
    platformOwnerEmails: [PLATFORM_OWNER],
    contactPerHour: 1_000,
    alerts: { allowsPrivate: true, smtp: null },
    publicUrl: ORIGIN,
  });
  const experiment = await newExperiment(api);
  const { org_id: orgId } = (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body;
  const tokens = { member: await newToken(api, "member"), admin: await newToken(api, "admin") };
  world = { api, clerk: { api: clerk, secret: CLERK_SECRET }, stripe, orgId, experiment, tokens };
  await giveResults();
  await judgeCalls(api, { experimentId: experiment.id, metric: JUDGED_METRIC }, [
    { eventId: JUDGED_CALL, arm: "control", score: 1 },
  ]);
  await giveBillingAccount();
  schemes = await documentedRoutes();
});

afterAll(async () => {
  await Promise.all([world.api.stop(), world.clerk.api.stop(), world.stripe.close(), provider.stop()]);
});

async function giveResults(): Promise<void> {
  const { api, experiment } = world;
  const exposures = Array.from({ length: 100 }, (_, user) => exposure(experiment, `user-${user}`));
  const body = [...exposures, ...comparedCalls(experiment)];
  await api.call("POST", "/v1/events", { key: await api.newKey("secret"), body });
  await api.call("POST", `/v1/experiments/${experiment.id}/analyze`);
  await api.call("POST", `/v1/experiments/${experiment.id}/replay`);
  const plane = api.openControl();
  const manual = (await plane.results.find(world.orgId, experiment.id))!;
  const night = { ...manual, label: YESTERDAY, preliminary: false, windowTo: endOfDay(YESTERDAY) };
  await plane.results.put(night, summarizeRun(resultsOf(manual)));
  await plane.close();
}

/** A subscription that has ended: a customer of the portal who may check out again. */
async function giveBillingAccount(): Promise<void> {
  const at = Math.floor(Date.now() / 1000) * 1000;
  const events = [
    checkoutEvent({ at, client_reference_id: world.orgId } as never),
    subscriptionEvent({ at, type: "deleted", status: "canceled", endsAt: at }),
  ];
  for (const event of events) {
    const body = JSON.stringify(event);
    const headers = { "billing-signature": signStripe(body, Date.now()) };
    const { status } = await world.api.call("POST", "/v1/webhooks/stripe", { key: "", body, headers });
    expect(status).toBe(204);
  }
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly security: readonly object[] }>>>
  >;
}

/** Every route of the running service's document, with what it takes as a credential. */
async function documentedRoutes(): Promise<ReadonlyMap<string, Scheme>> {
  const { body } = await world.api.call<Document>("GET", "/openapi.json");
  return new Map(
    Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => {
        const [scheme = "none"] = Object.keys(security[0] ?? {});
        return [`${method.toUpperCase()} ${path}`, scheme as Scheme] as const;
      }),
    ),
  );
}

async function send(route: string, caller: RouteCaller, scheme: Scheme): Promise<[number, string]> {
  const { path, body, token } = await validRequest(route, world, caller);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers =
    token === undefined
      ? await credentialOf(caller, { scheme, body: text ?? "" }, world)
      : { authorization: `Bearer ${token}` };
  const isClerks = caller === "signed" && scheme === "identitySignature";
  const { url } = (isClerks ? world.clerk.api : world.api).service;
  const [method] = route.split(" ");
  const response = await fetch(url + path, {
    method: method as string,
    headers: { ...headers, ...(text === undefined ? {} : { "content-type": "application/json" }) },
    ...(text === undefined ? {} : { body: text }),
  });
  return [response.status, await response.text()];
}

test("every route of the document has a row, and every row a route", () => {
  expect([...rows.keys()].sort()).toEqual([...schemes.keys()].sort());
});

test.each([...rows.keys()])("%s answers each caller as the table says", async (route) => {
  const scheme = schemes.get(route) ?? "none";
  const answers: Partial<Record<RouteCaller, number>> = {};
  for (const caller of CALLERS) {
    const [status, text] = await send(route, caller, scheme);
    answers[caller] = status;
    const isRpc = /^POST .*\/v1\/traces$|^POST \/v1\/otlp\//.test(route);
    const isLangfuse = route.includes(" /api/public/");
    const refusal = isRpc
      ? /"code":16/
      : isLangfuse
        ? /"error":"UnauthorizedError"/
        : /https:\/\/assay\.dev\/problems\/|"FLAG_NOT_FOUND"/;
    if (status >= 400) expect(text, caller).toMatch(refusal);
    if (caller === "other org") expectNothingOfTheFirstOrg(text);
  }
  expect(answers).toEqual(rows.get(route));
});

/** The ids and people of the first org are nobody else's business. What the stranger sent may come back. */
function expectNothingOfTheFirstOrg(text: string): void {
  for (const secret of [world.orgId, "@team.org", "owner@assay.local"]) expect(text).not.toContain(secret);
}
