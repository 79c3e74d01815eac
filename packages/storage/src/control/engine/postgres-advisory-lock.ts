import { setTimeout as sleep } from "node:timers/promises";
import type { LeaderElection } from "@assay/domain";
import { toStorageError } from "../dialect/engine-errors.ts";
import { campaign, type Lead } from "./leader-election.ts";
import { type Line, openLine } from "./postgres-session.ts";

/** One lock of a name per schema: other installations may live in other schemas of one database. */
const LOCK =
  "select pg_try_advisory_lock(hashtextextended('assay ' || current_schema() || ' ' || $1, 0)) as is_mine";
const ASK_FOR_LEAD_MS = 1_000;
const ASK_FOR_TURN_MS = 100;

/**
 * Stands for the lead of a schema: an advisory lock of a session of its own, which the server frees when the session ends. Who
 * does not get it keeps the session and asks again each second.
 */
export const standOnPostgres = (url: string, work: (leading: AbortSignal) => Promise<void>): LeaderElection =>
  campaign(work, async (stopping): Promise<Lead | null> => {
    const line = await lockOn(url, { name: "leader", askMs: ASK_FOR_LEAD_MS, stopping });
    return line && { lost: line.lost, resign: () => line.close() };
  });

/** Runs `work` when no other work of the name is under way in any process. */
export async function inTurnOnPostgres<T>(url: string, name: string, work: () => Promise<T>): Promise<T> {
  const request = { name, askMs: ASK_FOR_TURN_MS, stopping: new AbortController().signal };
  const line = await lockOn(url, request).catch((error: unknown) => {
    throw toStorageError(error);
  });
  try {
    return await work();
  } finally {
    await line?.close();
  }
}

interface LockRequest {
  readonly name: string;
  /** Pause between two questions. A lock that is waited for in the server would leave no room for signs of life. */
  readonly askMs: number;
  readonly stopping: AbortSignal;
}

/** Opens a session and waits until it has the lock; null when `stopping` was aborted before. */
async function lockOn(url: string, { name, askMs, stopping }: LockRequest): Promise<Line | null> {
  const line = await openLine(
    url,
    async () => {},
    async (client) => {
      await client.query("select 1");
    },
  );
  try {
    while (!stopping.aborted) {
      const { rows } = await line.client.query<{ is_mine: boolean }>(LOCK, [name]);
      if (rows[0]?.is_mine === true) return line;
      await sleep(askMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  } catch (error) {
    await line.close();
    throw error;
  }
  await line.close();
  return null;
}
