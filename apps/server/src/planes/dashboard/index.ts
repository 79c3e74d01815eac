import type { Route } from "../../http/define-route.ts";
import * as alertChannels from "./alert-channels.ts";
import * as billing from "./billing.ts";
import * as comparisons from "./comparisons.ts";
import * as datasets from "./datasets.ts";
import * as demo from "./demo.ts";
import { getEvidence } from "./evidence.ts";
import * as exclusions from "./exclusions.ts";
import * as experiments from "./experiments.ts";
import * as feedback from "./feedback.ts";
import { getGuard } from "./guard.ts";
import { getHealth } from "./health.ts";
import { getHoldback } from "./holdback.ts";
import * as invitations from "./invitations.ts";
import * as judgements from "./judgements.ts";
import { getJudges } from "./judges.ts";
import * as keys from "./keys.ts";
import * as labels from "./labels.ts";
import * as members from "./members.ts";
import * as metricCatalogue from "./metric-catalogue.ts";
import * as org from "./org.ts";
import * as overview from "./overview.ts";
import * as passkeys from "./passkeys.ts";
import * as plans from "./plan.ts";
import * as prices from "./prices.ts";
import * as rehearsals from "./rehearsals.ts";
import * as replays from "./replays.ts";
import * as reportLinks from "./report-links.ts";
import * as results from "./results.ts";
import * as scimToken from "./scim-token.ts";
import { listSecurityEvents } from "./security-events.ts";
import * as serviceTokens from "./service-tokens.ts";
import * as sessions from "./sessions.ts";
import * as storedEvents from "./stored-events.ts";
import { getTelemetry } from "./telemetry.ts";
import { postTestEvent } from "./test-event.ts";
import { tryRubric } from "./try-rubric.ts";
import { getUsage } from "./usage.ts";
import * as users from "./users.ts";
import * as webhookSecrets from "./webhook-secrets.ts";

export const dashboardRoutes: readonly Route[] = [
  ...Object.values(experiments),
  ...Object.values(exclusions),
  ...Object.values(results),
  getEvidence,
  ...Object.values(reportLinks),
  ...Object.values(alertChannels),
  ...Object.values(demo),
  getGuard,
  getHealth,
  getHoldback,
  ...Object.values(rehearsals),
  ...Object.values(replays),
  ...Object.values(storedEvents),
  ...Object.values(comparisons),
  ...Object.values(datasets),
  ...Object.values(users),
  getJudges,
  tryRubric,
  ...Object.values(judgements),
  ...Object.values(labels),
  ...Object.values(overview),
  ...Object.values(metricCatalogue),
  ...Object.values(plans),
  postTestEvent,
  ...Object.values(keys),
  ...Object.values(org),
  ...Object.values(members),
  ...Object.values(sessions),
  ...Object.values(passkeys),
  ...Object.values(scimToken),
  ...Object.values(invitations),
  ...Object.values(serviceTokens),
  listSecurityEvents,
  getTelemetry,
  ...Object.values(prices),
  ...Object.values(feedback),
  getUsage,
  ...Object.values(billing),
  ...Object.values(webhookSecrets),
];
