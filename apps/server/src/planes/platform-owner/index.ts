import type { Route } from "../../http/define-route.ts";
import { postPipelineRun } from "./pipeline-runs.ts";

export const platformOwnerRoutes: readonly Route[] = [postPipelineRun];
