import type { DatasetItem, RehearsalOutcome, RehearsalTask, RehearsalUsage } from "@assay/domain";
import type { Deps } from "../deps.ts";

/** A request with the input that it is about. */
export interface RehearsalQuestion {
  readonly task: RehearsalTask;
  readonly item: DatasetItem;
}

export interface RehearsalAttempt {
  readonly outcome: RehearsalOutcome;
  /** Null if the endpoint gave no answer. */
  readonly usage: RehearsalUsage | null;
}

interface Work {
  readonly questions: readonly RehearsalQuestion[];
  /** Tasks that cannot be asked. */
  readonly known: readonly { readonly task: RehearsalTask; readonly attempt: RehearsalAttempt }[];
}

const GONE: RehearsalAttempt = {
  outcome: { kind: "failed", cause: "text-expired", detail: "The input is no longer stored." },
  usage: null,
};

/** Loads the inputs of claimed requests, each once. */
export async function loadRehearsalQuestions(
  tasks: readonly RehearsalTask[],
  { control }: { readonly control: Pick<Deps["control"], "datasets"> },
): Promise<Work> {
  const items = new Map<string, Promise<DatasetItem | null>>();
  const loaded = await Promise.all(
    tasks.map(async (task) => {
      const key = `${task.rehearsal.id} ${task.position}`;
      const loading = items.get(key) ?? loadItem(task, control);
      items.set(key, loading);
      return { task, item: await loading };
    }),
  );
  return {
    questions: loaded.flatMap(({ task, item }) => (item === null ? [] : [{ task, item }])),
    known: loaded.flatMap(({ task, item }) => (item === null ? [{ task, attempt: GONE }] : [])),
  };
}

async function loadItem(
  { rehearsal, position, itemId }: RehearsalTask,
  { datasets }: Pick<Deps["control"], "datasets">,
): Promise<DatasetItem | null> {
  const range = { after: position - 1, limit: 1 };
  const [item] = await datasets.listItems(rehearsal.orgId, rehearsal.plan.datasetId, range);
  return item?.id === itemId ? item : null;
}
