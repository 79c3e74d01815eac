import {
  dayOf,
  dueWeeks,
  type Experiment,
  exclusionsInForce,
  type HoldbackReport,
  type HoldbackWindow,
  holdbackEnd,
  holdbackShares,
  lastExclusion,
  openHoldback,
  resultsOf,
  type TimeRange,
} from "@assay/domain";
import { matchesOf, type PipelineDeps } from "../run/run-experiment.ts";
import type { RunFrame } from "../run-frame.ts";
import { type HoldbackFrame, toHoldbackRow } from "./analyze-holdback.ts";
import { compareLifts } from "./compare-lifts.ts";

export type HoldbackDeps = Pick<
  PipelineDeps,
  "experiments" | "exclusions" | "results" | "clock" | "limits" | "codeVersion" | "loadPrices"
> & {
  /** `analyzeHoldback`, wherever it runs. */
  readonly analyzeHoldback: (frame: HoldbackFrame) => Promise<HoldbackWindow>;
};

/**
 * Analyzes the due weeks of an experiment's holdback that are not in its report yet, and compares the holdback's lift so far with the
 * experiment's. Returns null if nothing is due. Computed weeks never change.
 *
 * Each week is analyzed on its own, like an experiment: it covers users who came in that week, from their first exposure in it on.
 * Users who stayed away say nothing about the week. If the variant changes who comes, the week's split shows it.
 */
export async function reportHoldback(
  experiment: Experiment,
  report: HoldbackReport | null,
  deps: HoldbackDeps,
): Promise<HoldbackReport | null> {
  const holdback = experiment.config.holdback!;
  const from = holdback.from!;
  const known = report?.from === from ? report.weeks : [];
  const due = dueWeeks(holdback, deps.clock.now());
  if (due.length <= known.length) return null;
  const frameOf = await framesFor(experiment, deps);
  const weeks = [...known];
  for (const week of due.slice(known.length)) weeks.push(await deps.analyzeHoldback(frameOf(week, "week")));
  const to = due.at(-1)!.to;
  const overall = await deps.analyzeHoldback(frameOf({ from, to }, "overall"));
  const night = await nightBefore(experiment, from, deps);
  const then = Object.values(night?.results ?? {}).filter(({ treatment }) =>
    Object.hasOwn(overall.users, treatment),
  );
  const isFinal = holdback.to !== null && to === holdbackEnd(holdback);
  return {
    ...{ experimentId: experiment.id, from, computedAt: deps.clock.now(), weeks, overall },
    comparedWith: night?.computedFor ?? null,
    changes: compareLifts(overall.rows, then.map(toHoldbackRow), { isFinal }),
  };
}

/** The last night whose window ended before the shipping. Later nights include what users did with the shipped variant. */
async function nightBefore({ orgId, id }: Experiment, shippedAt: number, { results }: HoldbackDeps) {
  const nights = await results.listNightlyBefore(orgId, id, { day: dayOf(shippedAt), limit: 1 });
  const [night] = nights.map(resultsOf);
  return night ?? null;
}

/** Reads everything that all stretches depend on except their events. */
async function framesFor(experiment: Experiment, deps: HoldbackDeps) {
  const { orgId, id } = experiment;
  const versions = await deps.experiments.listVersions(orgId, id);
  // An experiment that was stopped since then has no shipped variant any more.
  const lasting = versions.find(({ config }) => openHoldback(config) !== null)!;
  const { config } = lasting;
  const entries = await deps.exclusions.list(orgId, id);
  const matches = matchesOf(exclusionsInForce(entries), experiment);
  const prices = await deps.loadPrices(experiment);
  // A metric's window may be longer than a week, so everything until the week's end counts.
  const metrics = config.metrics.map((metric) => ({ ...metric, windowDays: null }));
  return ({ from, to }: TimeRange, of: "week" | "overall"): HoldbackFrame => {
    const frame: RunFrame = {
      experiment: of === "week" ? { ...lasting, config: { ...config, metrics } } : lasting,
      periods: [{ startsAt: from, shares: holdbackShares(lasting) }],
      ...{ label: { kind: "nightly", day: dayOf(to - 1) }, until: to, computedAt: deps.clock.now() },
      ...{ limits: deps.limits, codeVersion: deps.codeVersion, prices },
      ...{
        variantEdits: [],
        judged: [],
        nights: [],
        decision: null,
        planChanges: [],
        qaUsersSeen: new Map(),
      },
      exclusions: { last: lastExclusion(entries), matches: [...matches, { to: from }] },
    };
    return { frame, from };
  };
}
