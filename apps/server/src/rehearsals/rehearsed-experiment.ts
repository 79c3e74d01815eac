import {
  type Caller,
  DomainError,
  draftExperiment,
  type Experiment,
  firstVersion,
  type Rehearsal,
  survivingTreatments,
} from "@assay/domain";
import { forecastExperiment, forecastUnit, onlineMetric, summarizeLedger } from "@assay/pipeline";
import { loadShared } from "../config/change-shared-metric.ts";
import { createExperiment } from "../config/create-experiment.ts";
import type { Deps } from "../deps.ts";
import { rejectBody } from "../http/validate.ts";
import { loadKnown } from "../planes/dashboard/plan-known.ts";
import { loadLedger } from "./rehearsal-ledger.ts";

/** Forecasts what an experiment with the arms of a rehearsal would find. Throws `rehearsal-state` before it has ended. */
export async function forecastRehearsal(rehearsal: Rehearsal, deps: Deps) {
  const { orgId, plan } = rehearsal;
  rejectOpen(rehearsal);
  deps.rateLimits.analyses.take(orgId);
  const report = await deps.rehearsing.report(rehearsal);
  const treatments = survivingTreatments(report.verdicts);
  const like = await rehearsedOf(rehearsal, deps);
  const planned = treatments.length > 0 ? treatments : plan.arms.slice(1).map(({ name }) => name);
  const draft = draftExperiment(plan, {
    name: "forecast",
    salt: "forecast",
    treatments: planned,
    like: like?.config ?? null,
  });
  const content = firstVersion(draft, await loadShared(orgId, deps.control));
  const { metrics } = content.config;
  const known = await loadKnown({ ...content, orgId, id: null }, {}, deps);
  const usersPerDay = known.usersPerDay?.value ?? null;
  const share = 1 / (planned.length + 1);
  const ledger = (await loadLedger(orgId, deps)).flatMap(({ pairs }) => pairs);
  const rows = report.rows.flatMap((row) => {
    const online = onlineMetric(row.metric, plan, metrics);
    if (online === null) return [];
    const baseline = known.baselines.get(online.name) ?? null;
    const shares = { control: share, treatment: share };
    const forecast = forecastExperiment({ row, ledger, baseline, shares, usersPerDay });
    if (forecast === null) return [];
    const { metric, treatment } = row;
    return [
      {
        ...forecast,
        metric,
        treatment,
        onlineMetric: online.name,
        ledger: summaryOf(forecast.ledger),
        notes: [...forecast.notes],
      },
    ];
  });
  return { experimentId: like?.id ?? null, treatments: [...treatments], usersPerDay, rows };
}

/** Lists the experiments that come from the org's rehearsals, and summarizes how well forecast and result agreed. */
export async function readLedger(orgId: string, deps: Deps) {
  const items = await loadLedger(orgId, deps);
  const pairs = items.flatMap((item) => item.pairs);
  const metrics = [...new Set(pairs.map(({ metric }) => metric))];
  return {
    metrics: metrics.map((metric) => ({ metric, ...summaryOf(summarizeLedger(pairs, metric)) })),
    items: items.map(({ origin, experiment, pairs: own }) => {
      const { rehearsalId, startedAt, startedBy, startedByName } = origin;
      const { id, config } = experiment;
      const { name, status, decision, shippedVariant, control, variants } = config;
      return {
        rehearsalId,
        startedAt,
        startedBy: { id: startedBy, name: startedByName },
        experiment: { id, name, status, outcome: decision?.outcome ?? null, shippedVariant },
        treatments: variants.map(({ key }) => key).filter((key) => key !== control),
        pairs: own.map((pair) => ({ ...pair, unit: forecastUnit(pair.metric) })),
      };
    }),
  };
}

function summaryOf({ transfer, ...summary }: ReturnType<typeof summarizeLedger>) {
  return { ...summary, slope: transfer?.slope ?? null };
}

interface Wanted {
  readonly name: string;
  readonly treatments?: readonly string[] | undefined;
}

/** Creates the draft of an experiment with arms of a rehearsal. By default, it takes the arms that are not worse. */
export async function startRehearsed(
  caller: Caller,
  rehearsal: Rehearsal,
  { name, treatments }: Wanted,
  deps: Deps,
): Promise<Experiment> {
  const { plan } = rehearsal;
  rejectOpen(rehearsal);
  const unknown = (treatments ?? []).filter((one) => !plan.arms.slice(1).some((arm) => arm.name === one));
  rejectBody(
    unknown.map((one) => ({
      pointer: "/treatments",
      detail: `"${one}" is not a treatment of this rehearsal.`,
    })),
  );
  const { verdicts, rows } = await deps.rehearsing.report(rehearsal);
  const chosen = treatments ?? survivingTreatments(verdicts);
  if (chosen.length === 0)
    throw new DomainError(
      "rehearsal-state",
      "No treatment was found to be not worse: name the treatments to test with `treatments`.",
    );
  const like = await rehearsedOf(rehearsal, deps);
  const salt = deps.newId();
  const draft = draftExperiment(plan, { name, salt, treatments: chosen, like: like?.config ?? null });
  const kept = rows.filter(({ treatment }) => chosen.includes(treatment));
  return createExperiment(caller, draft, deps, ({ rehearsals }, { id }) =>
    rehearsals.putExperiment(caller.orgId, {
      ...{ experimentId: id, rehearsalId: rehearsal.id, startedAt: deps.clock.now() },
      ...{ startedBy: caller.userId, startedByName: caller.name || caller.email },
      rows: kept.map(({ metric, treatment, controlValue, effect, ciLow, ciHigh }) => {
        return { metric, treatment, controlValue, effect, ciLow, ciHigh };
      }),
    }),
  );
}

function rejectOpen({ state }: Rehearsal): void {
  if (state !== "done" && state !== "stopped")
    throw new DomainError("rehearsal-state", `The rehearsal is ${state}. Wait until it is done, or stop it.`);
}

/** Finds the experiment whose calls were rehearsed; null for uploaded inputs. */
async function rehearsedOf(
  { orgId, plan }: Rehearsal,
  { control }: Pick<Deps, "control">,
): Promise<Experiment | null> {
  const dataset = await control.datasets.find(orgId, plan.datasetId);
  if (dataset?.source.kind !== "calls") return null;
  return control.experiments.find(orgId, dataset.source.experimentId);
}
