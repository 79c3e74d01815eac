import { ingest } from "@assay/contract";
import { checkEvent, flattenEvent, rowsOfBody } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { OrgSnapshot, SnapshotExperiment } from "../../config/snapshots.ts";
import type { Deps } from "../../deps.ts";
import { holderOf, parseJson, readBody, unreadable } from "./raw-request.ts";

const MAX_EVENTS = 1_000;

interface Refusal {
  readonly index: number;
  readonly event_id: string | null;
  readonly detail: string;
}

interface CheckedBatch {
  readonly accepted: number;
  readonly refusals: readonly Refusal[];
  /** Experiment id by the reference that rows used. */
  readonly experiments: ReadonlyMap<string, string>;
  /** Users whose bucket may be held from now on and is not claimed yet. */
  readonly unsettled: ReadonlyMap<SnapshotExperiment, readonly string[]>;
}

/** Accepts a batch: every row stands by itself, and what is acknowledged is on disk (contract §6). */
export function registerEvents(plane: FastifyInstance, deps: Deps): void {
  plane.post(ingest.postEvents.path, async (request, reply) => {
    const { orgId } = holderOf(request);
    const body = await readBody(request);
    const rows = rowsOf(parseJson(body));
    const receivedAt = deps.clock.now();
    const { batch, configVersion } = await checkAndClaim(orgId, rows, receivedAt, deps);
    const { accepted, refusals: rejected } = batch;
    if (accepted > 0) {
      const header = {
        orgId,
        receivedAt,
        rejected: rejected.map(({ index }) => index),
        experiments: Object.fromEntries(batch.experiments),
      };
      await deps.queue.append(header, body);
    }
    deps.metrics.eventsAccepted.inc(accepted);
    deps.metrics.eventsRejected.inc(rejected.length);
    reply.code(202).header("content-type", "application/json; charset=utf-8");
    return reply.send(JSON.stringify({ accepted, config_version: configVersion, rejected }));
  });
}

function rowsOf(body: unknown): readonly unknown[] {
  const rows = rowsOfBody(body);
  if (rows === null) throw unreadable('The body must be {"events": [...]} or an array of events.');
  if (rows.length === 0) throw unreadable("The batch is empty: send 1 to 1,000 events.");
  if (rows.length > MAX_EVENTS) throw unreadable(`The batch has ${rows.length} events: send at most 1,000.`);
  return rows;
}

/** A user with an event keeps the variant: the bucket is claimed before the event is acknowledged. */
async function checkAndClaim(orgId: string, rows: readonly unknown[], now: number, deps: Deps) {
  const snapshot = deps.snapshots.peek(orgId) ?? (await deps.snapshots.get(orgId));
  const batch = checkRows(rows, now, { snapshot, claims: deps.claims });
  for (const [entry, userIds] of batch.unsettled) {
    if (!(await deps.claims.claim(entry, userIds))) return checkAndClaim(orgId, rows, now, deps);
  }
  return { batch, configVersion: snapshot.configVersion };
}

function checkRows(
  rows: readonly unknown[],
  now: number,
  { snapshot, claims }: { readonly snapshot: OrgSnapshot } & Pick<Deps, "claims">,
): CheckedBatch {
  const refusals: Refusal[] = [];
  const experiments = new Map<string, string>();
  const unsettled = new Map<SnapshotExperiment, string[]>();
  for (let index = 0; index < rows.length; index++) {
    const row = flattenEvent(rows[index]);
    const detail = row === null ? "The row must be an object." : checkEvent(row, now);
    const entry =
      row === null || detail !== null ? undefined : snapshot.experiments.get(row.experiment_id as string);
    if (row === null || detail !== null || entry === undefined) {
      refusals.push({
        index,
        event_id: eventIdOf(row),
        detail: detail ?? "experiment_id names no experiment of this org.",
      });
      continue;
    }
    experiments.set(row.experiment_id as string, entry.experiment.id);
    const userId = row.user_id as string;
    if (!claims.isSettled(entry, userId)) addTo(unsettled, entry, userId);
  }
  return { accepted: rows.length - refusals.length, refusals, experiments, unsettled };
}

function eventIdOf(row: Readonly<Record<string, unknown>> | null): string | null {
  const id = row?.event_id;
  return typeof id === "string" ? id.slice(0, 128) : null;
}

function addTo<K>(lists: Map<K, string[]>, key: K, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
