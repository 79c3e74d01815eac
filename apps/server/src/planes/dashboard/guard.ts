import { experiments as operations } from "@assay/contract";
import { createMetric, type Experiment, isAssigning, nextStageAt, shareOfUsers } from "@assay/domain";
import { NOTICED_FIELDS, type NoticeableHarm, noticeableHarms, watchedSignals } from "@assay/pipeline";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { openHistory } from "./plan-history.ts";

export const getGuard = defineRoute(operations.getGuard, async ({ params, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  const { id, config } = experiment;
  const look = config.guard === null ? null : await deps.control.guardLooks.find(caller.orgId, id);
  const { rollout, status } = config;
  return {
    experimentId: id,
    lookedAt: look?.at ?? null,
    from: look?.from ?? null,
    signals: look?.signals ?? [],
    nextStageAt: isAssigning(config) && rollout !== null ? nextStageAt(rollout) : null,
    noticeable: status === "draft" ? await loadNoticeable(experiment, deps) : [],
  };
});

const METRICS = Object.entries(NOTICED_FIELDS).map(([name, field]) =>
  createMetric({
    ...{ name, kind: "ratio", category: "reliability", methodDefault: "auto", metricVersion: 1 },
    ...{ sharedOrgWide: false, source: { event: "model_call", field } },
  }),
);

/** Estimates from the org's history how large a harm the guard of a draft would notice. */
async function loadNoticeable(experiment: Experiment, deps: Deps): Promise<readonly NoticeableHarm[]> {
  const { orgId, id, config } = experiment;
  const { guard, control, metrics } = config;
  const shares = Object.entries(shareOfUsers(experiment)).filter(([variant]) => variant !== control);
  if (guard === null || shares.length === 0) return [];
  const org = await openHistory(orgId, { ...deps, now: deps.clock.now(), plannedId: id });
  const history = await org.baseline("user", METRICS);
  return noticeableHarms({
    ...{ guard, history, treatments: shares.length },
    share: Math.min(...shares.map(([, share]) => share)),
    signals: watchedSignals(guard, metrics).length + 1,
  });
}
