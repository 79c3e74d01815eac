import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  type Caller,
  type Dataset,
  type DatasetItem,
  type DatasetSource,
  DomainError,
  invalidBody,
  MAX_DATASET_BYTES,
} from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";

/** The most datasets of an org. */
const MAX_DATASETS = 100;

export interface NewDataset {
  readonly id: string;
  readonly name: string;
  readonly source: DatasetSource;
  readonly masked: Readonly<Record<string, number>>;
  readonly expiresAt: number | null;
}

/** Throws `too-many-datasets`. Checked before a draw, and when a dataset is stored. */
export async function rejectTooMany(
  orgId: string,
  { datasets }: Pick<Deps["control"], "datasets">,
): Promise<void> {
  if ((await datasets.count(orgId)) >= MAX_DATASETS)
    throw new DomainError(
      "too-many-datasets",
      `Your organization has ${MAX_DATASETS} datasets, the maximum: delete one that is no longer needed.`,
    );
}

/**
 * Stores a dataset with its audit entry. An upload with the same inputs as the newest version of its name returns that
 * version, so a file that every CI run uploads is stored once. Throws `invalid-body` when its texts are too large.
 */
export async function storeDataset(
  made: NewDataset,
  items: readonly DatasetItem[],
  { caller, ...deps }: Pick<Deps, "control" | "clock" | "newId"> & { readonly caller: Caller },
): Promise<Dataset> {
  rejectTooLarge(items);
  const { orgId } = caller;
  const dataset = { ...made, orgId, createdAt: deps.clock.now(), createdBy: caller.userId };
  return deps.control.transaction(async (stores) => {
    await stores.orgs.lock(orgId);
    const same = await findSame(dataset, items, stores);
    if (same !== null) return same;
    await rejectTooMany(orgId, stores);
    // It may have been deleted in the meantime.
    if (made.source.kind === "calls") await stores.experiments.get(orgId, made.source.experimentId);
    const stored = await stores.datasets.put(dataset, items);
    const summary = `${made.source.kind === "calls" ? "Drew" : "Uploaded"} version ${stored.version} of the dataset ${made.name}: ${stored.items.toLocaleString("en-US")} inputs.`;
    const entry = { action: "dataset.create", targetType: "dataset", targetId: stored.id, summary };
    await stores.audit.record(auditEntry(caller, entry, deps));
    return stored;
  });
}

/** Inputs of a stored dataset that are compared at once. */
const COMPARED = 500;

async function findSame(
  { orgId, name, source, masked }: NewDataset & Pick<Dataset, "orgId">,
  items: readonly DatasetItem[],
  { datasets }: Pick<Deps["control"], "datasets">,
): Promise<Dataset | null> {
  const newest = await datasets.findNewest(orgId, name);
  const isLike =
    newest !== null &&
    newest.items === items.length &&
    isDeepStrictEqual([newest.source, newest.masked], [source, masked]);
  if (!isLike) return null;
  for (let place = 0; place < items.length; place += COMPARED) {
    const stored = await datasets.listItems(orgId, newest.id, { after: place - 1, limit: COMPARED });
    const placed = items
      .slice(place, place + COMPARED)
      .map((item, index) => ({ position: place + index, ...item }));
    if (!isDeepStrictEqual(stored, placed)) return null;
    // An embedded engine answers within the same turn, so this gives other requests a turn.
    await nextTurn();
  }
  return newest;
}

function rejectTooLarge(items: readonly DatasetItem[]): void {
  let bytes = 0;
  for (const { messages, reference } of items) {
    for (const { text } of messages) bytes += Buffer.byteLength(text);
    bytes += Buffer.byteLength(reference ?? "");
  }
  if (bytes > MAX_DATASET_BYTES)
    throw invalidBody([
      { pointer: "", detail: "The inputs are larger than 64 MiB together: leave some out." },
    ]);
}
