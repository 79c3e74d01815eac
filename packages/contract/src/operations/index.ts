import type { Operation } from "../operation.ts";
import * as admin from "./admin.ts";
import * as alerts from "./alerts.ts";
import * as billing from "./billing.ts";
import * as comparisons from "./comparisons.ts";
import * as datasets from "./datasets.ts";
import * as exclusions from "./exclusions.ts";
import * as experiments from "./experiments.ts";
import * as inbox from "./inbox.ts";
import * as ingest from "./ingest.ts";
import * as judge from "./judge.ts";
import * as langfuse from "./langfuse.ts";
import * as members from "./members.ts";
import * as metrics from "./metrics.ts";
import * as ofrep from "./ofrep.ts";
import * as org from "./org.ts";
import * as overview from "./overview.ts";
import * as passkeys from "./passkeys.ts";
import * as prices from "./prices.ts";
import * as rehearsals from "./rehearsals.ts";
import * as reportLinks from "./report-links.ts";
import * as scim from "./scim.ts";
import * as serviceTokens from "./service-tokens.ts";
import * as sessions from "./sessions.ts";
import * as storedEvents from "./stored-events.ts";
import * as telemetry from "./telemetry.ts";
import * as usage from "./usage.ts";
import * as users from "./users.ts";
import * as webhooks from "./webhooks.ts";

const modules = {
  experiments,
  exclusions,
  overview,
  metrics,
  storedEvents,
  comparisons,
  datasets,
  users,
  judge,
  rehearsals,
  reportLinks,
  alerts,
  ingest,
  langfuse,
  ofrep,
  org,
  members,
  sessions,
  passkeys,
  scim,
  serviceTokens,
  prices,
  telemetry,
  usage,
  billing,
  inbox,
  webhooks,
  admin,
};

/** Every operation that this version serves. */
export const operations: readonly Operation[] = Object.values(modules).flatMap(
  (module) => Object.values(module) as unknown as readonly Operation[],
);

export {
  admin,
  alerts,
  billing,
  comparisons,
  datasets,
  exclusions,
  experiments,
  inbox,
  ingest,
  judge,
  langfuse,
  members,
  metrics,
  ofrep,
  org,
  overview,
  passkeys,
  prices,
  rehearsals,
  reportLinks,
  scim,
  serviceTokens,
  sessions,
  storedEvents,
  telemetry,
  usage,
  users,
  webhooks,
};
