import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import {
  DomainError,
  type JudgementStore,
  type JudgementTask,
  monthOf,
  type SettledJudgement,
} from "@assay/domain";
import type { Deps } from "../deps.ts";

const RETRY_MS = 1_000;
/** Written without a pause: on SQLite the event loop waits meanwhile. */
const LARGEST_GROUP = 8;

type SettleDeps = Pick<Deps, "log"> & {
  /** Aborted: what the store does not take is given up, since its claim runs out. */
  readonly closing: AbortSignal;
  readonly control: { readonly judgements: Pick<JudgementStore, "settleAll"> };
};

interface Waiting {
  readonly task: JudgementTask;
  readonly settled: SettledJudgement;
  readonly resolve: (isMine: boolean) => void;
}

/**
 * Settles judgements, each durable when its promise resolves; false when another process has taken it over. What comes while a
 * transaction commits shares the next one: one sync of the disk for many. While the store is down nothing is forgotten.
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

  /** One that cannot be written must not keep the others from it; during an outage all of them wait. */
  async function writeOrKeep(group: readonly Waiting[]): Promise<void> {
    try {
      await write(group);
    } catch (error) {
      if (error instanceof DomainError && error.kind === "storage-unavailable" && !closing.aborted) {
        log.warn({ err: error, judgements: group.length }, "judgements wait for the control plane");
        waiting.unshift(...group);
        await sleep(RETRY_MS, undefined, { signal: closing }).catch(() => undefined);
      } else if (group.length > 1) {
        for (const one of group) await writeOrKeep([one]);
      } else {
        log.error({ err: error }, "a judgement could not be stored; it is made again");
        for (const { resolve } of group) resolve(false);
      }
    }
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    // What ends in the same turn of the event loop goes into the same transaction.
    await nextTurn();
    while (waiting.length > 0) {
      await writeOrKeep(waiting.splice(0, LARGEST_GROUP));
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
