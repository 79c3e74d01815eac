import type { Route } from "../../http/define-route.ts";
import * as deadLetters from "./dead-letters.ts";
import { getHealth } from "./health.ts";
import { listInbox } from "./inbox.ts";
import * as orgs from "./orgs.ts";
import { getOverview } from "./overview.ts";
import { postPipelineRun } from "./pipeline-runs.ts";
import { putPlanOverride } from "./plan-override.ts";
import { postSeatsResync } from "./seats.ts";

export const platformOwnerRoutes: readonly Route[] = [
  listInbox,
  getOverview,
  ...Object.values(orgs),
  getHealth,
  ...Object.values(deadLetters),
  postPipelineRun,
  putPlanOverride,
  postSeatsResync,
];
