import { type Coordination, createKeyedMutex } from "@assay/domain";
import { campaign } from "./campaign.ts";

/** A process that has its database to itself: nobody else changes anything, and nobody else could lead. */
export const alone = (): Coordination => ({
  watchChanges: async () => ({ isCurrent: () => true, untilKnown: async () => {}, close: async () => {} }),
  standForLeader: (work) =>
    campaign(work, async () => ({ lost: new Promise(() => {}), resign: async () => {} })),
  inTurn: createKeyedMutex(),
});
