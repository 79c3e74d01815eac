import type { UsageMonth } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { settleQueue } from "../worker/settle-queue.ts";

const SETTLE_MS = 5_000;

/** Counts what is stored, after waiting a while for everything that was acknowledged until now. */
export function countAccepted({ queue, meter }: Pick<Deps, "queue" | "meter">) {
  return async (orgId: string, month: UsageMonth) => {
    const isExact = await settleQueue(SETTLE_MS, { queue });
    return { events: await meter.count(orgId, month), isExact };
  };
}
