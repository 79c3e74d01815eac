import type { Route } from "../../http/define-route.ts";
import * as experiments from "./experiments.ts";
import * as keys from "./keys.ts";
import * as org from "./org.ts";
import { postPlan } from "./plan.ts";
import * as results from "./results.ts";
import { postTestEvent } from "./test-event.ts";

export const dashboardRoutes: readonly Route[] = [
  ...Object.values(experiments),
  ...Object.values(results),
  postPlan,
  postTestEvent,
  ...Object.values(keys),
  ...Object.values(org),
];
