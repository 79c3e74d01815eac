import { experimentAnswer, experiments as operations, toConfigChange, toConfigInput } from "@assay/contract";
import { DomainError, type Experiment, rejectDeletion } from "@assay/domain";
import { auditEntry, SYSTEM } from "../../audit-entry.ts";
import { changeConfig, recordUpdate, shareNew } from "../../config/change-config.ts";
import {
  endHoldback as end,
  holdExperiment as hold,
  resumeExperiment as resume,
} from "../../config/change-exposure.ts";
import { loadShared } from "../../config/change-shared-metric.ts";
import { createExperiment as create, rejectHidden } from "../../config/create-experiment.ts";
import { mintVersion } from "../../config/mint-version.ts";
import { defineRoute } from "../../http/define-route.ts";
import { removeEvents } from "../../worker/removals.ts";
import { isListed } from "./is-listed.ts";
import { withChangedPlan, withStartPlan } from "./start-plan.ts";
import { tagged } from "./tagged-experiment.ts";

export const listExperiments = defineRoute(
  operations.listExperiments,
  async ({ query, caller }, { control }) =>
    (await control.experiments.list(caller.orgId)).filter(isListed(query.status)).map(experimentAnswer),
);

export const getExperiment = defineRoute(
  operations.getExperiment,
  async ({ params, caller, reply }, { control }) => {
    const experiment = await control.experiments.get(caller.orgId, params.id);
    return tagged(experiment, reply);
  },
);

export const listVersions = defineRoute(operations.listVersions, async ({ params, caller }, { control }) =>
  (await control.experiments.listVersions(caller.orgId, params.id)).map((version) => ({
    ...experimentAnswer(version),
    createdBy: version.createdBy === SYSTEM.userId ? null : version.createdBy,
  })),
);

export const createExperiment = defineRoute(
  operations.createExperiment,
  async ({ body, caller, reply }, deps) => {
    const input = await withStartPlan(toConfigInput(body), caller.orgId, deps);
    const experiment = await create(caller, input, deps);
    reply.header("location", `/v1/experiments/${experiment.id}`);
    return tagged(experiment, reply);
  },
);

export const updateExperiment = defineRoute(
  operations.updateExperiment,
  async ({ params, body, caller, request, reply }, deps) => {
    // Before the transaction: planning reads the event store.
    const stored = await deps.control.experiments.get(caller.orgId, params.id);
    const change = await withChangedPlan(stored, toConfigChange(body), deps);
    const experiment = await changeConfig(caller, deps, async (stores) => {
      const current = await stores.experiments.lock(caller.orgId, params.id);
      rejectStale(current, request.headers["if-match"]);
      const shared = await loadShared(caller.orgId, stores);
      const at = deps.clock.now();
      const next = await mintVersion(current, change, { stores, shared, at, by: caller.userId });
      await rejectHidden(caller.orgId, next.config, stores);
      await recordUpdate(stores, caller, { current, next }, deps);
      await shareNew(stores, caller, { saved: next, shared }, deps);
      return next;
    });
    return tagged(experiment, reply);
  },
);

export const holdExperiment = defineRoute(
  operations.holdExperiment,
  async ({ params, body, caller, reply }, deps) => {
    const cause = { reason: body.reason ?? null, guardrail: null };
    const experiment = await hold(caller, params.id, cause, deps);
    return tagged(experiment, reply);
  },
);

export const resumeExperiment = defineRoute(
  operations.resumeExperiment,
  async ({ params, caller, reply }, deps) => {
    const experiment = await resume(caller, params.id, deps);
    return tagged(experiment, reply);
  },
);

export const endHoldback = defineRoute(operations.endHoldback, async ({ params, caller, reply }, deps) => {
  const experiment = await end(caller, params.id, deps);
  return tagged(experiment, reply);
});

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

function rejectStale(current: Experiment, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === "*") return;
  const wanted = ifMatch.split(",").map((tag) => tag.trim().replace(/^"|"$/g, ""));
  if (!wanted.includes(String(current.version))) {
    const detail = `The experiment is at version ${current.version}: read it again, repeat your change on this version and send the result.`;
    throw new DomainError("version-mismatch", detail);
  }
}
