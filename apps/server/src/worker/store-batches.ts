import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import {
  attributeExposure,
  DomainError,
  type Exposure,
  flattenEvent,
  isStorageUnavailable,
  type QueuedBatch,
  type StoredEvent,
  toStoredEvent,
} from "@assay/domain";
import type { OrgSnapshot } from "../config/snapshots.ts";
import type { Deps } from "../deps.ts";
import { readAccepted } from "../ingest/read-rows.ts";

/** What is needed to store batches. */
export type StoreDeps = Pick<Deps, "queue" | "log"> & {
  readonly snapshots: Pick<Deps["snapshots"], "peek" | "get" | "invalidate">;
  readonly metrics: Pick<Deps["metrics"], "storeFailures">;
  readonly guardSums: Pick<Deps["guardSums"], "append">;
};

/** What was stored. Batches that are neither stored nor dead letters stay in the queue. */
export interface StoreOutcome {
  readonly stored: readonly QueuedBatch[];
  /** Events in the stored batches. */
  readonly events: number;
}

type Attempt<T> =
  | { readonly state: "done"; readonly value: T }
  | { readonly state: "refused"; readonly fault: string }
  | { readonly state: "stopped" };

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;
/** Attempts to store batches together, not counting those while an engine does not answer. */
const MAX_ATTEMPTS = 3;
/** Stack frames in a log line. */
const MAX_FRAMES = 5;

/**
 * Stores claimed batches and removes them from the queue. While an engine does not answer, they are retried forever. After any other
 * error they are tried three times together and then one by one; a batch that fails alone becomes a dead letter.
 */
export function storeBatches(
  batches: readonly QueuedBatch[],
  stopping: AbortSignal,
  deps: StoreDeps,
): Promise<StoreOutcome> {
  return storeWithin(MAX_ATTEMPTS, batches, { ...deps, stopping });
}

type Parts = StoreDeps & { readonly stopping: AbortSignal };

async function storeWithin(
  maxAttempts: number,
  batches: readonly QueuedBatch[],
  parts: Parts,
): Promise<StoreOutcome> {
  const appended = await attempt(maxAttempts, () => append(batches, parts), parts);
  if (appended.state === "refused")
    return batches.length === 1 ? bury(batches, appended.fault, parts) : storeOneByOne(batches, parts);
  const events = appended.state === "done" ? appended.value : 0;
  const isOut =
    appended.state === "done" &&
    (await attempt(Number.POSITIVE_INFINITY, () => parts.queue.ack(batches), parts)).state === "done";
  return isOut ? { stored: batches, events } : NOTHING;
}

const NOTHING: StoreOutcome = { stored: [], events: 0 };

async function storeOneByOne(batches: readonly QueuedBatch[], parts: Parts): Promise<StoreOutcome> {
  const outcomes: StoreOutcome[] = [];
  for (const batch of batches) {
    if (parts.stopping.aborted) break;
    outcomes.push(await storeWithin(1, [batch], parts));
  }
  return {
    stored: outcomes.flatMap(({ stored }) => stored),
    events: outcomes.reduce((sum, { events }) => sum + events, 0),
  };
}

async function bury(batches: readonly QueuedBatch[], fault: string, parts: Parts): Promise<StoreOutcome> {
  const { queue, log } = parts;
  const buried = await attempt(Number.POSITIVE_INFINITY, () => queue.bury(batches, fault), parts);
  if (buried.state === "done") {
    const [orgId, sequence] = [batches[0]?.orgId, batches[0]?.sequence];
    log.error({ fault, orgId, sequence }, "a batch of events cannot be stored; it is now a dead letter");
  }
  return NOTHING;
}

/** Retries `work` with a backoff: forever while an engine does not answer, else `maxAttempts` times. */
async function attempt<T>(
  maxAttempts: number,
  work: () => Promise<T>,
  { log, metrics, stopping }: Parts,
): Promise<Attempt<T>> {
  let refusals = 0;
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    try {
      return { state: "done", value: await work() };
    } catch (error) {
      metrics.storeFailures.inc();
      if (stopping.aborted) return { state: "stopped" };
      const description = describeError(error);
      if (!isStorageUnavailable(error)) refusals += 1;
      if (refusals >= maxAttempts) return { state: "refused", fault: description.fault };
      log.error({ ...description, retryMs }, "could not store events; they wait in the queue");
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
      if (stopping.aborted) return { state: "stopped" };
    }
  }
}

/** Parses the batches one at a time and yields after each, so that the event loop never stalls. Returns the number of events. */
async function append(batches: readonly QueuedBatch[], { snapshots, guardSums }: StoreDeps): Promise<number> {
  const parsed: StoredEvent[] = [];
  for (const batch of batches) {
    const snapshot = await snapshotOf(batch, snapshots);
    for (const event of await toEvents(batch, snapshot)) parsed.push(event);
    await nextTurn();
  }
  await guardSums.append(parsed);
  return parsed.length;
}

/** The process that accepted the batch may know newer experiments than this one; without them, their events would be skipped. */
async function snapshotOf(
  { orgId, configVersion, experiments }: QueuedBatch,
  snapshots: StoreDeps["snapshots"],
): Promise<OrgSnapshot> {
  const known = snapshots.peek(orgId) ?? (await snapshots.get(orgId));
  const isKnown =
    configVersion === undefined
      ? Object.values(experiments).every((id) => known.experiments.has(id))
      : known.configVersion >= configVersion;
  if (isKnown) return known;
  snapshots.invalidate(orgId);
  const read = await snapshots.get(orgId);
  if (read.configVersion === 0 && read.experiments.size === 0)
    throw new DomainError(
      "org-not-found",
      "This installation does not have this organization. Another installation uses the same queue (give each its own prefix: nats://host:4222/NAME), or the database was restored from an older backup.",
    );
  if (read !== known || configVersion === undefined) return read;
  throw new DomainError(
    "storage-unavailable",
    "The config under which these events were accepted cannot be read.",
  );
}

/** Reads a queued batch back into events. Its header holds what the server decided when it accepted the batch. */
async function toEvents(batch: QueuedBatch, snapshot: OrgSnapshot): Promise<readonly StoredEvent[]> {
  const rejected = new Set(batch.rejected);
  const rows = await readAccepted(batch.body);
  return rows.flatMap((raw, index) => {
    const row = rejected.has(index) ? null : flattenEvent(raw);
    if (row === null) return [];
    const experimentId = batch.experiments[String(row.experiment_id)];
    const entry = experimentId === undefined ? undefined : snapshot.experiments.get(experimentId);
    if (experimentId === undefined || entry === undefined) return [];
    const { orgId, receivedAt, provenance = null } = batch;
    const attribute = (exposure: Exposure) => attributeExposure(entry.timeline, exposure);
    return [toStoredEvent(row, { orgId, receivedAt, experimentId, provenance, attribute })];
  });
}

/** Describes an error for the log without its message, which may quote an event. */
export function describeError(error: unknown): { readonly fault: string; readonly at: readonly string[] } {
  if (!(error instanceof Error)) return { fault: typeof error, at: [] };
  if (error instanceof DomainError) return { fault: `${error.kind}: ${error.message}`, at: [] };
  if (error instanceof SyntaxError) return { fault: `${error.name}: the body is not JSON`, at: [] };
  const { code, type } = error as { readonly code?: unknown; readonly type?: unknown };
  const parts = [error.name, code, type].filter(
    (part) => typeof part === "string" || typeof part === "number",
  );
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { fault: parts.join(" "), at: frames.slice(0, MAX_FRAMES).map((line) => line.trim()) };
}
