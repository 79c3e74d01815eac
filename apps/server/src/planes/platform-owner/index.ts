import type { Route } from "../../http/define-route.ts";
import { postPipelineRun } from "./pipeline-runs.ts";
import { putPlanOverride } from "./plan-override.ts";

export const platformOwnerRoutes: readonly Route[] = [postPipelineRun, putPlanOverride];
