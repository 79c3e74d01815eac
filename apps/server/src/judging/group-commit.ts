import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import {
  isStorageUnavailable,
  type JudgementStore,
  type JudgementTask,
  monthOf,
  type SettledJudgement,
} from "@assay/domain";
import type { Deps } from "../deps.ts";

const RETRY_MS = 1_000;
/** Judgements per transaction: on SQLite a transaction blocks the event loop. */
const MAX_GROUP = 8;

type SettleDeps = Pick<Deps, "log"> & {
  /** Once aborted, judgements that cannot be stored are dropped: their claims expire. */
  readonly closing: AbortSignal;
  readonly control: { readonly judgements: Pick<JudgementStore, "settleAll"> };
};

interface Waiting {
  readonly task: JudgementTask;
  readonly settled: SettledJudgement;
  readonly resolve: (isMine: boolean) => void;
}

/**
 * Stores the outcomes of judgements. Each is durable when its promise resolves; false means that another process has taken over the
 * judgement. Outcomes that arrive during a commit share the next one, so many share one disk sync. While the store is down, all wait.
 */
export function createGroupCommit({ control, log, closing }: SettleDeps) {
  const waiting: Waiting[] = [];
  let isWriting = false;

  async function write(group: readonly Waiting[]): Promise<void> {
    const settlements = group.map(({ task, settled }) => ({
      task,
      settled: { ...settled, month: monthOf(settled.at) },
    }));
    const isMine = await control.judgements.settleAll(settlements);
    for (const [index, { resolve }] of group.entries()) resolve(isMine[index] ?? false);
  }

  /** Writes a group. One bad judgement must not block the others; during an outage all of them wait. */
  async function writeOrKeep(group: readonly Waiting[]): Promise<void> {
    try {
      await write(group);
    } catch (error) {
      if (isStorageUnavailable(error) && !closing.aborted) {
        log.warn({ err: error, judgements: group.length }, "judgements wait for the control plane");
        waiting.unshift(...group);
        await sleep(RETRY_MS, undefined, { signal: closing }).catch(() => undefined);
      } else if (group.length > 1) {
        for (const one of group) await writeOrKeep([one]);
      } else {
        log.error({ err: error }, "could not store a judgement; it is repeated");
        for (const { resolve } of group) resolve(false);
      }
    }
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    // Judgements that end in the same turn of the event loop share a transaction.
    await nextTurn();
    while (waiting.length > 0) {
      await writeOrKeep(waiting.splice(0, MAX_GROUP));
      await nextTurn();
    }
    isWriting = false;
  }

  return {
    settle(task: JudgementTask, settled: SettledJudgement): Promise<boolean> {
      return new Promise((resolve) => {
        waiting.push({ task, settled, resolve });
        if (!isWriting) void writeAll();
      });
    },
  };
}

export type GroupCommit = ReturnType<typeof createGroupCommit>;
