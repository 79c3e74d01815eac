import { ExperimentSchema, experimentAnswer, toWire, toWireMetric } from "@assay/contract";
import type { ControlStores, Experiment, JsonObject, MetricDefinition, SharedMetrics } from "@assay/domain";
import type { Static } from "typebox";
import { type Actor, auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { fieldDiff } from "../field-diff.ts";
import { methodOverrides } from "./method-overrides.ts";

type Audited = Pick<ControlStores, "audit">;

/**
 * Changes the org's config in one transaction, then invalidates the caches of the hot paths. Changes of one org run one
 * at a time, because experiments share metrics.
 */
export async function changeConfig<Result>(
  caller: Actor,
  { control, snapshots }: Deps,
  change: (stores: ControlStores) => Promise<Result>,
): Promise<Result> {
  const result = await control.transaction(async (stores) => {
    await stores.orgs.lock(caller.orgId);
    const changed = await change(stores);
    await stores.orgs.bumpConfigVersion(caller.orgId);
    return changed;
  });
  snapshots.invalidate(caller.orgId);
  return result;
}

/** Records the creation of an experiment. */
export async function recordCreate(
  stores: Audited,
  caller: Actor,
  created: Experiment,
  deps: Deps,
): Promise<void> {
  const to = toWireExperiment(created);
  const diff = experimentDiff(null, to);
  const target = { targetType: "experiment", targetId: created.id };
  const summary = `Created the experiment "${created.config.name}".`;
  await stores.audit.record(
    auditEntry(caller, { ...target, action: "experiment.create", summary, diff }, deps),
  );
  await recordOverrides(stores, caller, { before: [], after: created }, deps);
}

interface Update {
  readonly current: Experiment;
  readonly next: Experiment;
  /** The reason, when the person changed something else and the experiment changed with it. */
  readonly cause?: string;
}

/** Records a new version of an experiment. */
export async function recordUpdate(
  stores: Audited,
  caller: Actor,
  { current, next, cause }: Update,
  deps: Deps,
): Promise<void> {
  const to = toWireExperiment(next);
  const diff = experimentDiff(toWireExperiment(current), to);
  const target = { targetType: "experiment", targetId: next.id };
  const changed = `Changed ${Object.keys(diff).join(", ") || "nothing"}: version ${next.version}.`;
  const summary = cause === undefined ? changed : `${cause} ${changed}`;
  await stores.audit.record(
    auditEntry(caller, { ...target, action: "experiment.update", summary, diff }, deps),
  );
  await recordOverrides(stores, caller, { before: current.config.metrics, after: next }, deps);
}

/** An audit entry names the fields as the wire does. */
type WireExperiment = Static<typeof ExperimentSchema>;
const toWireExperiment = (experiment: Experiment) => toWire(ExperimentSchema, experimentAnswer(experiment));

/** QA users are recorded as a number only, because people may be erased. */
function experimentDiff(from: WireExperiment | null, to: WireExperiment): JsonObject {
  const diff = fieldDiff(from, to, Object.keys(to).filter(isAboutConfig));
  if (diff.qa_users === undefined) return diff;
  return { ...diff, qa_users: { from: from && qaCounts(from), to: qaCounts(to) } };
}

const qaCounts = ({ qa_users = {} }: WireExperiment): JsonObject =>
  Object.fromEntries(Object.entries(qa_users).map(([variant, { length }]) => [variant, `${length} ids`]));

/** The other fields identify a version and do not describe its setup. */
const isAboutConfig = (field: string) =>
  !["id", "version", "created_at", "updated_at", "is_demo"].includes(field);

async function recordOverrides(
  { audit }: Audited,
  caller: Actor,
  { before, after }: { readonly before: readonly MetricDefinition[]; readonly after: Experiment },
  deps: Deps,
): Promise<void> {
  for (const override of methodOverrides(before, after.config.metrics)) {
    const target = { action: "metric.method-override", targetType: "experiment", targetId: after.id };
    await audit.record(auditEntry(caller, { ...target, ...override }, deps));
  }
}

/** Stores the metrics of a saved experiment that are marked as shared and are not stored yet. */
export async function shareNew(
  stores: Pick<ControlStores, "audit" | "sharedMetrics">,
  caller: Actor,
  { saved, shared }: { readonly saved: Experiment; readonly shared: SharedMetrics },
  deps: Deps,
): Promise<void> {
  for (const metric of saved.config.metrics) {
    if (!metric.sharedOrgWide || shared.has(metric.name)) continue;
    await stores.sharedMetrics.put(caller.orgId, metric);
    await recordMetric(stores, caller, { from: null, to: metric }, deps);
  }
}

/** Records a shared metric's creation, or its change. */
export async function recordMetric(
  { audit }: Audited,
  caller: Actor,
  { from, to }: { readonly from: MetricDefinition | null; readonly to: MetricDefinition },
  deps: Deps,
): Promise<void> {
  const wire = toWireMetric(to);
  const diff = fieldDiff(from && toWireMetric(from), wire, Object.keys(wire));
  const summary =
    from === null
      ? `Shared the metric "${to.name}" with the organization's experiments.`
      : `Changed ${Object.keys(diff).join(", ") || "nothing"} of the shared metric "${to.name}".`;
  const action = from === null ? "metric.create" : "metric.update";
  const target = { targetType: "metric", targetId: to.name };
  await audit.record(auditEntry(caller, { ...target, action, summary, diff }, deps));
}
