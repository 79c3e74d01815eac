import {
  ExperimentSchema,
  experimentAnswer,
  experiments as operations,
  toConfigChange,
  toConfigInput,
  toWire,
} from "@assay/contract";
import {
  type Caller,
  type ControlStores,
  DomainError,
  type Experiment,
  firstVersion,
  type MetricDefinition,
  nextVersion,
  rejectDeletion,
} from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { fieldDiff } from "../../field-diff.ts";
import { defineRoute } from "../../http/define-route.ts";
import { removeEvents } from "../../worker/removals.ts";
import { isListed } from "./is-listed.ts";
import { methodOverrides } from "./method-overrides.ts";

export const listExperiments = defineRoute(
  operations.listExperiments,
  async ({ query, caller }, { control }) =>
    (await control.experiments.list(caller.orgId)).filter(isListed(query.status)).map(experimentAnswer),
);

export const getExperiment = defineRoute(
  operations.getExperiment,
  async ({ params, caller, reply }, { control }) => {
    const experiment = await control.experiments.get(caller.orgId, params.id);
    reply.header("etag", versionTag(experiment));
    return experimentAnswer(experiment);
  },
);

export const listVersions = defineRoute(operations.listVersions, async ({ params, caller }, { control }) =>
  (await control.experiments.listVersions(caller.orgId, params.id)).map((version) => ({
    ...experimentAnswer(version),
    createdBy: version.createdBy,
  })),
);

export const createExperiment = defineRoute(
  operations.createExperiment,
  async ({ body, caller, reply }, deps) => {
    const content = firstVersion(toConfigInput(body));
    const id = deps.newId();
    const experiment = await changeConfig(caller, deps, async (stores) => {
      const at = deps.clock.now();
      const created = await stores.experiments.create({
        ...content,
        id,
        orgId: caller.orgId,
        version: 1,
        at,
        by: caller.userId,
      });
      await recordCreate(stores, caller, created, deps);
      await recordOverrides(stores, caller, { before: [], after: created }, deps);
      return created;
    });
    reply.header("location", `/v1/experiments/${id}`).header("etag", versionTag(experiment));
    return experimentAnswer(experiment);
  },
);

export const updateExperiment = defineRoute(
  operations.updateExperiment,
  async ({ params, body, caller, request, reply }, deps) => {
    const change = toConfigChange(body);
    const experiment = await changeConfig(caller, deps, async (stores) => {
      const current = await stores.experiments.lock(caller.orgId, params.id);
      rejectStale(current, request.headers["if-match"]);
      const claims =
        current.servedAt === null ? await stores.experiments.listClaims(current.id) : new Set<number>();
      const content = nextVersion(current, change, claims);
      const at = deps.clock.now();
      const { id, orgId } = current;
      const next = await stores.experiments.putVersion({
        ...content,
        id,
        orgId,
        version: current.version + 1,
        at,
        by: caller.userId,
      });
      await recordUpdate(stores, caller, { current, next }, deps);
      return next;
    });
    reply.header("etag", versionTag(experiment));
    return experimentAnswer(experiment);
  },
);

export const deleteExperiment = defineRoute(operations.deleteExperiment, async ({ params, caller }, deps) => {
  const { orgId } = caller;
  const removal = await changeConfig(caller, deps, async ({ experiments, audit }) => {
    const { id, ...experiment } = await experiments.lock(orgId, params.id);
    rejectDeletion(experiment);
    await experiments.remove(orgId, id);
    const removed = { orgId, experimentId: id, removedAt: deps.clock.now() };
    await experiments.putRemoval(removed);
    const summary = `Deleted the experiment "${experiment.config.name}".`;
    const target = { targetType: "experiment", targetId: id };
    await audit.record(auditEntry(caller, { ...target, action: "experiment.delete", summary }, deps));
    return removed;
  });
  await removeEvents(removal, deps);
});

/** An audit entry names the fields as the wire does. */
const toWireExperiment = (experiment: Experiment) => toWire(ExperimentSchema, experimentAnswer(experiment));

/** Changes the org's config in one transaction, then has the hot paths load it again. */
async function changeConfig<Changed>(
  caller: Caller,
  { control, snapshots }: Deps,
  change: (stores: ControlStores) => Promise<Changed>,
): Promise<Changed> {
  const result = await control.transaction(async (stores) => {
    const changed = await change(stores);
    await stores.orgs.bumpConfigVersion(caller.orgId);
    return changed;
  });
  snapshots.invalidate(caller.orgId);
  return result;
}

async function recordCreate(
  { audit }: Pick<ControlStores, "audit">,
  caller: Caller,
  created: Experiment,
  deps: Deps,
): Promise<void> {
  const to = toWireExperiment(created);
  const diff = fieldDiff(null, to, Object.keys(to).filter(isAboutConfig));
  const target = { targetType: "experiment", targetId: created.id };
  const summary = `Created the experiment "${created.config.name}".`;
  await audit.record(auditEntry(caller, { ...target, action: "experiment.create", summary, diff }, deps));
}

async function recordUpdate(
  stores: ControlStores,
  caller: Caller,
  { current, next }: { readonly current: Experiment; readonly next: Experiment },
  deps: Deps,
): Promise<void> {
  const to = toWireExperiment(next);
  const diff = fieldDiff(toWireExperiment(current), to, Object.keys(to).filter(isAboutConfig));
  const target = { targetType: "experiment", targetId: next.id };
  const summary = `Changed ${Object.keys(diff).join(", ") || "nothing"}: version ${next.version}.`;
  await stores.audit.record(
    auditEntry(caller, { ...target, action: "experiment.update", summary, diff }, deps),
  );
  await recordOverrides(stores, caller, { before: current.config.metrics, after: next }, deps);
}

/** The other fields identify a version and do not describe its setup. */
const isAboutConfig = (field: string) =>
  !["id", "version", "created_at", "updated_at", "is_demo"].includes(field);

async function recordOverrides(
  { audit }: Pick<ControlStores, "audit">,
  caller: Caller,
  { before, after }: { readonly before: readonly MetricDefinition[]; readonly after: Experiment },
  deps: Deps,
): Promise<void> {
  for (const override of methodOverrides(before, after.config.metrics)) {
    const target = { action: "metric.method-override", targetType: "experiment", targetId: after.id };
    await audit.record(auditEntry(caller, { ...target, ...override }, deps));
  }
}

function versionTag({ version }: Experiment): string {
  return `"${version}"`;
}

function rejectStale(current: Experiment, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === "*") return;
  const wanted = ifMatch.split(",").map((tag) => tag.trim().replace(/^"|"$/g, ""));
  if (!wanted.includes(String(current.version))) {
    const detail = `The experiment is at version ${current.version}: read it again, repeat your change on it and send that.`;
    throw new DomainError("version-mismatch", detail);
  }
}
