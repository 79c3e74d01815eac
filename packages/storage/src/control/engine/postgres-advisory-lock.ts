import { setTimeout as sleep } from "node:timers/promises";
import type { LeaderElection } from "@assay/domain";
import { toStorageError } from "../dialect/engine-errors.ts";
import { type Leadership, runForLeader } from "./leader-election.ts";
import { openSession, type Session } from "./postgres-session.ts";

/**
 * Each schema has its own lock per name, because other installations may use other schemas of the
 * database.
 */
const TRY_LOCK =
  "select pg_try_advisory_lock(hashtextextended('assay ' || current_schema() || ' ' || $1, 0)) as is_mine";
const LEADER_RETRY_MS = 1_000;
const LOCK_RETRY_MS = 100;

/**
 * Elects a leader among the processes on a schema: the holder of an advisory lock, which the server frees when the
 * holder's session ends. The other processes keep a session open and try again every second.
 */
export const electOnPostgres = (url: string, work: (leading: AbortSignal) => Promise<void>): LeaderElection =>
  runForLeader(work, async (stopping): Promise<Leadership | null> => {
    const session = await acquireLock(url, { name: "leader", retryMs: LEADER_RETRY_MS, stopping });
    return session && { lost: session.lost, resign: () => session.close() };
  });

/** Runs `work` while this process holds the advisory lock with that name. */
export async function withPostgresLock<T>(url: string, name: string, work: () => Promise<T>): Promise<T> {
  const request = { name, retryMs: LOCK_RETRY_MS, stopping: new AbortController().signal };
  const session = await acquireLock(url, request).catch((error: unknown) => {
    throw toStorageError(error);
  });
  try {
    return await work();
  } finally {
    await session?.close();
  }
}

interface LockRequest {
  readonly name: string;
  /**
   * Pause between two attempts. A session that waits for the lock in the server could not send
   * heartbeats.
   */
  readonly retryMs: number;
  readonly stopping: AbortSignal;
}

/** Opens a session and waits until it holds the lock; null when `stopping` is aborted first. */
async function acquireLock(url: string, { name, retryMs, stopping }: LockRequest): Promise<Session | null> {
  const session = await openSession(
    url,
    async () => {},
    async (client) => {
      await client.query("select 1");
    },
  );
  try {
    while (!stopping.aborted) {
      const { rows } = await session.client.query<{ is_mine: boolean }>(TRY_LOCK, [name]);
      if (rows[0]?.is_mine === true) return session;
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  } catch (error) {
    await session.close();
    throw error;
  }
  await session.close();
  return null;
}
