import { endOfMonth, startOfMonth, type UsageMonth } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { waitForDrain } from "../worker/wait-for-drain.ts";
import type { Spender } from "./allowance.ts";
import type { Count } from "./quota.ts";

/** Counts stored events, after waiting at most `timeoutMs` for everything acknowledged so far to be stored. */
export async function countAccepted(
  { spender, month, timeoutMs }: { spender: Spender; month: UsageMonth; timeoutMs: number },
  deps: Pick<Deps, "queue" | "meter" | "events">,
): Promise<Count> {
  const isExact = await waitForDrain(timeoutMs, deps);
  const { orgId, isPublic } = spender;
  return {
    events: isPublic ? await countPublic(orgId, month, deps) : await deps.meter.count(orgId, month),
    isExact,
  };
}

/** Counts the month's stored events of an org's publishable keys. */
export async function countPublic(
  orgId: string,
  month: UsageMonth,
  { events }: Pick<Deps, "events">,
): Promise<number> {
  const range = { from: startOfMonth(month), until: endOfMonth(month) };
  const byDay = await events.countPublicByDay(orgId, range);
  return [...byDay.values()].reduce((sum, count) => sum + count, 0);
}
