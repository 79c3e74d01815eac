import { isUtf8 } from "node:buffer";
import {
  type BatchHeader,
  checkEvent,
  type DomainError,
  type EventSource,
  flattenEvent,
  isPublic,
  type Provenance,
  type RawEvent,
  refusalOf,
  subjectOf,
} from "@assay/domain";
import type { OrgSnapshot, SnapshotExperiment } from "../config/snapshots.ts";
import type { Deps } from "../deps.ts";
import { REJECTION_REASONS, type RejectionReason } from "../metrics.ts";
import type { Allowance } from "./allowance.ts";
import { UnreadRow } from "./read-rows.ts";

/** A row that was not accepted, and why. */
export interface RefusedRow {
  readonly index: number;
  readonly event_id: string | null;
  readonly detail: string;
}

/** The result of a batch. */
export interface Acceptance {
  /** Rows that are on disk in the queue. */
  readonly accepted: number;
  /** Ascending by index, including rows beyond the allowance. */
  readonly refused: readonly RefusedRow[];
  /** The number of refused rows by reason. */
  readonly reasons: Readonly<Record<RejectionReason, number>>;
  /** The error to answer when nothing was accepted; null unless the month's allowance ended within the batch. */
  readonly exhausted: DomainError | null;
  readonly configVersion: number;
}

type AcceptDeps = Pick<
  Deps,
  "snapshots" | "claims" | "clock" | "queue" | "metrics" | "allowance" | "tracing"
>;

/** The sender of rows. */
export interface Sender {
  readonly orgId: string;
  readonly provenance: Provenance;
}

interface Batch {
  readonly rows: readonly unknown[];
  /** The rows as JSON, exactly as received. */
  readonly body: Buffer;
}

/**
 * Accepts what it can of at most 1,000 rows. Each row is judged by itself, and accepted rows are on disk (contract §6).
 * Throws `queue-full` or `storage-unavailable`; then nothing of the batch is stored or counted.
 */
export async function acceptBatch(sender: Sender, batch: Batch, deps: AcceptDeps): Promise<Acceptance> {
  const acceptance = await acceptUncounted(sender, batch, deps);
  countAcceptance(acceptance, deps);
  return acceptance;
}

/** Adds an acceptance to the metrics. */
export function countAcceptance(
  { accepted, refused, reasons }: Acceptance,
  { metrics }: Pick<Deps, "metrics">,
): void {
  metrics.eventsAccepted.inc(accepted);
  if (refused.length === 0) return;
  for (const reason of REJECTION_REASONS) metrics.eventsRejected.inc({ reason }, reasons[reason]);
}

/** Accepts a batch as `acceptBatch` does, but does not count it. The caller must. */
export async function acceptUncounted(sender: Sender, batch: Batch, deps: AcceptDeps): Promise<Acceptance> {
  const { orgId, provenance } = sender;
  const isText = isUtf8(batch.body);
  for (;;) {
    const snapshot = deps.snapshots.peek(orgId) ?? (await deps.snapshots.get(orgId));
    const receivedAt = deps.clock.now();
    const check = (limit: RowLimit) =>
      checkRows(batch.rows, { receivedAt, snapshot, limit, source: provenance.source, isText }, deps);
    const checked = check(NO_LIMIT);
    const { unknown_experiment, unknown_variant } = checked.reasons;
    if (unknown_experiment + unknown_variant > 0 && (await deps.snapshots.findNewer(snapshot)) !== null)
      continue;
    const spender = { orgId, isPublic: isPublic(provenance.source) };
    const acceptance = await deps.allowance.spend(spender, checked.accepted, async (granted, exhausted) => {
      const kept = exhausted === null ? checked : check(limitTo(granted, exhausted));
      if (kept.unsettled.size > 0 && !(await claimBuckets(kept, deps))) return null;
      const { configVersion } = snapshot;
      await enqueue({ orgId, receivedAt, configVersion, provenance, body: batch.body }, kept, deps);
      const { accepted, refused, reasons } = kept;
      return { accepted, refused, reasons, exhausted, configVersion };
    });
    // Null: the config changed while buckets were claimed. Try again with the new config.
    if (acceptance !== null) return acceptance;
  }
}

/**
 * Creates the function that predicts, without storing anything, what `acceptBatch` would do with successive batches.
 * `left` is the remaining allowance. Every row counts as new, although repeats would not use up the allowance.
 */
export function tryBatches(
  { orgId, provenance }: Sender,
  left: Awaited<ReturnType<Allowance["left"]>>,
  deps: Pick<Deps, "snapshots" | "claims" | "clock">,
): (rows: readonly unknown[]) => Promise<Pick<Acceptance, "accepted" | "refused">> {
  let limit = left === null ? NO_LIMIT : limitTo(left.events, left.exhausted);
  return async (rows) => {
    const snapshot = deps.snapshots.peek(orgId) ?? (await deps.snapshots.get(orgId));
    const checked = checkRows(
      rows,
      { receivedAt: deps.clock.now(), snapshot, limit, source: provenance.source, isText: true },
      deps,
    );
    limit = { ...limit, rows: limit.rows - checked.accepted };
    return checked;
  };
}

interface CheckedRows {
  readonly accepted: number;
  readonly refused: readonly RefusedRow[];
  readonly reasons: Readonly<Record<RejectionReason, number>>;
  /** Experiment id by the reference that rows used. */
  readonly experiments: ReadonlyMap<string, string>;
  /** Units whose buckets are not claimed yet but may have to be. */
  readonly unsettled: ReadonlyMap<SnapshotExperiment, readonly string[]>;
}

interface CheckContext {
  readonly receivedAt: number;
  readonly snapshot: OrgSnapshot;
  readonly limit: RowLimit;
  readonly source: EventSource;
  /** Whether the body was UTF-8. Decoding replaced other bytes with U+FFFD. */
  readonly isText: boolean;
}

/** How many valid rows may pass, and why the rest is refused. */
interface RowLimit {
  readonly rows: number;
  /** Null without a limit. */
  readonly refusal: Refusal | null;
}

const NO_LIMIT: RowLimit = { rows: Number.POSITIVE_INFINITY, refusal: null };

function limitTo(rows: number, exhausted: DomainError): RowLimit {
  return { rows, refusal: { reason: "allowance", detail: exhausted.message } };
}

function checkRows(
  rows: readonly unknown[],
  { receivedAt, snapshot, limit, source, isText }: CheckContext,
  { claims }: Pick<Deps, "claims">,
): CheckedRows {
  const refused: RefusedRow[] = [];
  const reasons = { invalid: 0, unknown_experiment: 0, unknown_variant: 0, allowance: 0 };
  const experiments = new Map<string, string>();
  const unsettled = new Map<SnapshotExperiment, string[]>();
  let accepted = 0;
  let last: ReferencedExperiment = { reference: null, known: null };
  const refuse = (index: number, row: RawEvent | null, { reason, detail }: Refusal) => {
    reasons[reason] += 1;
    refused.push({ index, event_id: eventIdOf(row), detail });
  };
  for (let index = 0; index < rows.length; index++) {
    const raw = rows[index];
    const row = raw instanceof UnreadRow ? null : flattenEvent(raw);
    if (row === null) {
      refuse(index, row, invalid(raw instanceof UnreadRow ? raw.detail : "The row must be an object."));
      continue;
    }
    const fault = faultOf(row, { receivedAt, isText });
    if (fault !== null) {
      refuse(index, row, invalid(fault));
      continue;
    }
    const reference = row.experiment_id as string;
    // Consecutive rows mostly belong to the same experiment.
    if (reference !== last.reference) last = experimentOf(reference, snapshot, source);
    if (last.known === null) {
      refuse(index, row, UNKNOWN_EXPERIMENT);
      continue;
    }
    const { entry, rules } = last.known;
    const refusal = refusalOf(row, rules) ?? (accepted === limit.rows ? limit.refusal : null);
    if (refusal !== null) {
      refuse(index, row, refusal);
      continue;
    }
    accepted += 1;
    if (!experiments.has(reference)) experiments.set(reference, entry.experiment.id);
    // The row was not refused, so it names its unit.
    const subject = subjectOf(entry.timeline.unit, row.user_id as string, row.unit_id)!;
    if (!claims.isSettled(entry, subject)) addTo(unsettled, entry, subject.unitId);
  }
  return { accepted, refused, reasons, experiments, unsettled };
}

function faultOf(row: RawEvent, { receivedAt, isText }: Pick<CheckContext, "receivedAt" | "isText">) {
  if (!isText && JSON.stringify(row).includes("\ufffd"))
    return "The row has bytes that are not UTF-8: send JSON in UTF-8.";
  return checkEvent(row, receivedAt);
}

/** Why a row is refused: the reason for metrics and the text for the sender. */
interface Refusal {
  readonly reason: RejectionReason;
  readonly detail: string;
}

const UNKNOWN_EXPERIMENT: Refusal = {
  reason: "unknown_experiment",
  detail: "No experiment with this id or name exists in this organization.",
};

function invalid(detail: string): Refusal {
  return { reason: "invalid", detail };
}

/** An experiment as rows reference it, with the rules that refuse rows. Null if there is none. */
interface ReferencedExperiment {
  readonly reference: string | null;
  readonly known: {
    readonly entry: SnapshotExperiment;
    readonly rules: Parameters<typeof refusalOf>[1];
  } | null;
}

function experimentOf(
  reference: string,
  { experiments }: OrgSnapshot,
  source: EventSource,
): ReferencedExperiment {
  const entry = experiments.get(reference);
  if (entry === undefined) return { reference, known: null };
  const { createdAt, config } = entry.experiment;
  const rules = { timeline: entry.timeline, createdAt, flagKey: config.flagKey, source };
  return { reference, known: { entry, rules } };
}

/** A unit with an event keeps its variant, so its bucket is claimed before the acknowledgement. False: the snapshot is stale. */
async function claimBuckets({ unsettled }: CheckedRows, { claims }: Pick<Deps, "claims">): Promise<boolean> {
  for (const [entry, unitIds] of unsettled) if (!(await claims.claim(entry, unitIds))) return false;
  return true;
}

function enqueue(
  {
    body,
    ...header
  }: Pick<BatchHeader, "orgId" | "receivedAt" | "configVersion" | "provenance"> & { readonly body: Buffer },
  { accepted, refused, experiments }: CheckedRows,
  { queue, tracing }: Pick<Deps, "queue" | "tracing">,
): void | Promise<void> {
  if (accepted === 0) return;
  const kept = {
    ...header,
    rejected: refused.map(({ index }) => index),
    experiments: Object.fromEntries(experiments),
    // Undefined without tracing: JSON leaves it out.
    traceparent: tracing.traceparent(),
  };
  return queue.append(kept, body);
}

function eventIdOf(row: RawEvent | null): string | null {
  const id = row?.event_id;
  return typeof id === "string" ? id.slice(0, 128) : null;
}

function addTo<K>(lists: Map<K, string[]>, key: K, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
