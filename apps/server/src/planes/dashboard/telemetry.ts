import { telemetry as operations } from "@assay/contract";
import { describeCalls, describeNewest } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";

export const getTelemetry = defineRoute(
  operations.getTelemetry,
  async ({ caller: { orgId } }, { control: { waitingTraces } }) => ({
    instrumentations: describeCalls(await waitingTraces.countCalls(orgId)),
    ...describeNewest(await waitingTraces.findNewest(orgId)),
  }),
);
