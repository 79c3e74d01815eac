import type { UsageMonth } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { waitForDrain } from "../worker/wait-for-drain.ts";
import type { Count } from "./allowance.ts";

/** Counts what is stored, after waiting `timeoutMs` at most for everything that was acknowledged until now. */
export async function countAccepted(
  { orgId, month, timeoutMs }: { orgId: string; month: UsageMonth; timeoutMs: number },
  { queue, meter }: Pick<Deps, "queue" | "meter">,
): Promise<Count> {
  const isExact = await waitForDrain(timeoutMs, { queue });
  return { events: await meter.count(orgId, month), isExact };
}
