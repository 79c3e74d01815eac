import { telemetry as operations } from "@assay/contract";
import { describeCalls } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";

export const getTelemetry = defineRoute(operations.getTelemetry, async ({ caller }, { control }) => ({
  instrumentations: describeCalls(await control.waitingTraces.countCalls(caller.orgId)),
}));
