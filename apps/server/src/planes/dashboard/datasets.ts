import { datasets as operations } from "@assay/contract";
import {
  type Dataset,
  DomainError,
  MASKING_KINDS,
  MAX_DATASET_BYTES,
  type MaskingRules,
  rejectFaults,
} from "@assay/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import { auditEntry } from "../../audit-entry.ts";
import { drawDataset as draw } from "../../datasets/draw-calls.ts";
import { startInputThread } from "../../datasets/input-thread.ts";
import { rejectTooMany, storeDataset } from "../../datasets/store-dataset.ts";
import type { Deps } from "../../deps.ts";
import { fieldDiff } from "../../field-diff.ts";
import { defineRoute } from "../../http/define-route.ts";
import { discardRest, followConnection, hasNoBody } from "../../http/follow-connection.ts";
import { pageAnswer, toPageQuery } from "../../http/page.ts";
import { emptyFile, importBytes } from "../../import/import-body.ts";
import { untilAborted } from "../../import/run-import.ts";

export const drawDataset = defineRoute(
  operations.drawDataset,
  async ({ body: { name, fromExperiment }, caller, request, reply }, deps) => {
    const { experimentId, ...window } = fromExperiment;
    const experiment = await deps.control.experiments.find(caller.orgId, experimentId);
    if (experiment === null)
      throw new DomainError(
        "experiment-not-found",
        "No experiment with this id or name exists in this organization.",
      );
    deps.rateLimits.analyses.take(caller.orgId);
    await rejectTooMany(caller.orgId, deps.control);
    const dataset = await inSlot({ request, reply }, deps, (signal) =>
      draw({ ...window, name, experiment, caller, signal }, deps),
    );
    reply.header("location", `/v1/datasets/${dataset.id}`);
    return datasetAnswer(dataset);
  },
);

const FILE_LIMIT = {
  bytes: MAX_DATASET_BYTES,
  advice: "remove fields that Assay does not read, or upload two datasets.",
};

export const uploadDataset = defineRoute(
  operations.uploadDataset,
  async ({ query: { name, format = null }, caller, request, reply }, deps) => {
    if (hasNoBody(request)) throw emptyFile();
    const file = importBytes(request.raw, FILE_LIMIT);
    const id = deps.newId();
    const dataset = await inSlot({ request, reply }, deps, async (signal) => {
      const bytes = await collect(file, signal);
      const thread = startInputThread(signal);
      try {
        const rules = await deps.control.maskingRules.get(caller.orgId);
        const read = await thread.prepare({ kind: "file", bytes, format, rules });
        const source = { kind: "upload", format: read.format ?? "jsonl" } as const;
        const made = { id, name, source, masked: read.masked, expiresAt: null };
        return await storeDataset(made, read.items, { ...deps, caller });
      } finally {
        await thread.close();
      }
    });
    reply.code(dataset.id === id ? 201 : 200);
    reply.header("location", `/v1/datasets/${dataset.id}`);
    return datasetAnswer(dataset);
  },
);

/** Waits for a free slot and does costly work in it, as long as the client stays connected. */
async function inSlot<T>(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { datasetSlots, stopping }: Pick<Deps, "datasetSlots" | "stopping">,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, isGone } = followConnection(reply, stopping);
  discardRest(request, reply);
  let leave = () => {};
  try {
    leave = await datasetSlots.take(signal);
    return await work(signal);
  } catch (error) {
    if (isGone()) throw new DomainError("body-timeout", "The connection was closed before the answer.");
    if (stopping.aborted)
      throw new DomainError("storage-unavailable", "The service is stopping.", { retryAfterSeconds: 10 });
    throw error;
  } finally {
    leave();
  }
}

async function collect(file: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of untilAborted(file, signal)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export const listDatasets = defineRoute(operations.listDatasets, async ({ query, caller }, { control }) =>
  pageAnswer(await control.datasets.list(caller.orgId, toPageQuery(query)), datasetAnswer),
);

export const getDataset = defineRoute(operations.getDataset, async ({ params, caller }, { control }) =>
  datasetAnswer(await findDataset(caller.orgId, params.id, control)),
);

export const listDatasetItems = defineRoute(
  operations.listDatasetItems,
  async ({ params, query, caller: { orgId } }, { control }) => {
    const { id } = await findDataset(orgId, params.id, control);
    const { limit } = toPageQuery(query);
    const after = positionOf(query.cursor);
    const found = await control.datasets.listItems(orgId, id, { after, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return { items, nextCursor: last && found.length > limit ? String(last.position) : null };
  },
);

function positionOf(cursor: string | undefined): number {
  if (cursor === undefined) return -1;
  if (/^\d{1,5}$/.test(cursor)) return Number(cursor);
  throw new DomainError("invalid-query", "cursor: send the `next_cursor` of the previous page.");
}

export const deleteDataset = defineRoute(operations.deleteDataset, async ({ params, caller }, deps) => {
  await deps.control.transaction(async (stores) => {
    const { id, name, version } = await findDataset(caller.orgId, params.id, stores);
    await stores.datasets.remove(caller.orgId, id);
    const summary = `Deleted version ${version} of the dataset ${name}.`;
    const entry = { action: "dataset.delete", targetType: "dataset", targetId: id, summary };
    await stores.audit.record(auditEntry(caller, entry, deps));
  });
});

export const getMaskingRules = defineRoute(operations.getMaskingRules, ({ caller }, { control }) =>
  control.maskingRules.get(caller.orgId),
);

export const putMaskingRules = defineRoute(
  operations.putMaskingRules,
  async ({ body: { builtIn, own }, caller }, deps) => {
    const rules: MaskingRules = { builtIn, own };
    await rejectRules(rules);
    await deps.control.transaction(async (stores) => {
      await stores.orgs.lock(caller.orgId);
      const before = await stores.maskingRules.get(caller.orgId);
      const diff = fieldDiff(wireRules(before), wireRules(rules), ["built_in", "own"]);
      if (Object.keys(diff).length === 0) return;
      await stores.maskingRules.put(caller.orgId, rules);
      const summary = "Changed what is masked in the inputs of datasets.";
      const target = { targetType: "org", targetId: caller.orgId };
      const entry = { ...target, action: "masking-rules.put", summary, diff };
      await stores.audit.record(auditEntry(caller, entry, deps));
    });
    return rules;
  },
);

function wireRules({ builtIn, own }: MaskingRules) {
  return { built_in: [...builtIn], own: own.map(({ name, pattern }) => ({ name, pattern })) };
}

/** Loaded only when needed: the regular expression engine is large, and rules are rarely set. */
async function rejectRules({ own }: MaskingRules): Promise<void> {
  const { faultOfPattern } = await import("../../datasets/own-maskings.ts");
  const names = own.map(({ name }) => name);
  rejectFaults(
    own.flatMap(({ name, pattern }, index) => {
      const isTaken = names.indexOf(name) < index || MASKING_KINDS.some((kind) => kind === name);
      if (isTaken) return [{ pointer: `/own/${index}/name`, detail: "is the name of another rule." }];
      const detail = faultOfPattern(pattern);
      return detail === null ? [] : [{ pointer: `/own/${index}/pattern`, detail }];
    }),
  );
}

async function findDataset(
  orgId: string,
  id: string,
  { datasets }: Pick<Deps["control"], "datasets">,
): Promise<Dataset> {
  const dataset = await datasets.find(orgId, id);
  if (dataset === null)
    throw new DomainError(
      "dataset-not-found",
      "There is no such dataset: it was deleted, or it has expired.",
    );
  return dataset;
}

/** The route leaves out the fields that the answer's schema lacks. */
function datasetAnswer(dataset: Dataset) {
  return dataset;
}
