import { members as operations } from "@assay/contract";
import { definePlatformRoute } from "../../http/define-route.ts";

/** Pushes every org's seat cap to the identity provider (spec §4). */
export const postSeatsResync = definePlatformRoute(
  operations.postSeatsResync,
  async (_call, { identity, seatCaps }) => {
    const pushes = await seatCaps.resync();
    const failed = pushes.flatMap(({ orgId, fault }) => (fault === null ? [] : [{ orgId, detail: fault }]));
    return { provider: identity.kind, pushed: pushes.length - failed.length, failed };
  },
);
