import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { isStorageUnavailable } from "@assay/domain";
import type { Deps } from "../deps.ts";

const RETRY_MS = 1_000;
/** Outcomes per transaction: on SQLite a transaction blocks the event loop. */
const MAX_GROUP = 16;

type CommitDeps<T, R> = Pick<Deps, "log"> & {
  /** Once aborted, outcomes that cannot be stored are dropped: their claims expire. */
  readonly closing: AbortSignal;
  /** What is stored, for the log: "judgements". */
  readonly what: string;
  /** Stores a group in one transaction; returns a result for each. */
  readonly write: (group: readonly T[]) => Promise<readonly R[]>;
  /** The result of an outcome that is not stored. */
  readonly lost: R;
};

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
}

/**
 * Stores outcomes. Each is durable when its promise resolves. Outcomes that arrive during a commit share the next one, so many share one
 * disk sync. While the store is down, all wait.
 */
export function createGroupCommit<T, R>({ write, lost, what, log, closing }: CommitDeps<T, R>) {
  const waiting: Waiting<T, R>[] = [];
  let isWriting = false;

  async function commit(group: readonly Waiting<T, R>[]): Promise<void> {
    const results = await write(group.map(({ item }) => item));
    for (const [index, { resolve }] of group.entries()) resolve(results[index] ?? lost);
  }

  /** Writes a group. One bad outcome must not block the others; during an outage all of them wait. */
  async function writeOrKeep(group: readonly Waiting<T, R>[]): Promise<void> {
    try {
      await commit(group);
    } catch (error) {
      if (isStorageUnavailable(error) && !closing.aborted) {
        log.warn({ err: error, outcomes: group.length }, `${what} wait for the control plane`);
        waiting.unshift(...group);
        await sleep(RETRY_MS, undefined, { signal: closing }).catch(() => undefined);
      } else if (group.length > 1) {
        for (const one of group) await writeOrKeep([one]);
      } else {
        log.error({ err: error }, `could not store one of the ${what}; it is repeated`);
        for (const { resolve } of group) resolve(lost);
      }
    }
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    // Outcomes that end in the same turn of the event loop share a transaction.
    await nextTurn();
    while (waiting.length > 0) {
      await writeOrKeep(waiting.splice(0, MAX_GROUP));
      await nextTurn();
    }
    isWriting = false;
  }

  return {
    settle(item: T): Promise<R> {
      return new Promise((resolve) => {
        waiting.push({ item, resolve });
        if (!isWriting) void writeAll();
      });
    },
  };
}

export type GroupCommit<T, R> = ReturnType<typeof createGroupCommit<T, R>>;
