import {
  type AllocationPeriod,
  allocationPeriods,
  type BucketOwners,
  configExclusions,
  DEFAULT_GUARD,
  type ExclusionMatch,
  type Experiment,
  eventsOf,
  isAssigning,
  type ModelPrice,
  nextStageAt,
  type SignalLook,
} from "@assay/domain";
import { describeHarm, harmsOf, lookAtGuard, SPLIT, watchedMetrics, watchedSignals } from "@assay/pipeline";
import { SYSTEM } from "../audit-entry.ts";
import { advanceRollout, holdExperiment } from "../config/change-exposure.ts";
import type { Deps } from "../deps.ts";
import { loadOwnExclusions } from "../exclusions/load-exclusions.ts";
import { experimentPrices } from "../prices/price-lists.ts";
import { createKnownFacts, type KnownFacts } from "./known-facts.ts";

/** What the watching process keeps in memory, beside the sums. */
interface Known {
  /** By version, because an experiment may have thousands, and the periods change only with them. */
  readonly periods: KnownFacts<readonly AllocationPeriod[]>;
  /** Those of people, by the number of the newest. */
  readonly exclusions: KnownFacts<readonly ExclusionMatch[]>;
}

/** What is read once for all of an org's experiments. */
interface InRound {
  readonly ownPrices: () => Promise<readonly ModelPrice[]>;
  readonly newestExclusions: () => Promise<ReadonlyMap<string, number>>;
}

/**
 * Makes the task that looks at every guarded experiment. It holds experiments that do harm and advances the rollouts of the others. One
 * process runs it. Changes are checked again under the experiment's lock, so a process wrongly taken for dead changes nothing twice.
 */
export function guardTask(deps: Deps): () => Promise<void> {
  const known: Known = {
    periods: createKnownFacts((experiment) => readPeriods(experiment, deps)),
    exclusions: createKnownFacts((experiment) => loadOwnExclusions(experiment, deps)),
  };
  // Another process may have watched since this one did.
  deps.guardSums.keepOnly(new Set());
  return async () => {
    const running = await deps.control.experiments.listForNightly(deps.clock.now());
    const guarded = running.filter(isGuarded);
    const ids = new Set(guarded.map(({ id }) => id));
    for (const { keepOnly } of [deps.guardSums, known.periods, known.exclusions]) keepOnly(ids);
    for (const [orgId, own] of Map.groupBy(guarded, (experiment) => experiment.orgId)) {
      const inRound = {
        ownPrices: once(() => deps.control.modelPrices.list(orgId)),
        newestExclusions: once(() => deps.control.exclusions.newest(orgId)),
      };
      for (const experiment of own) {
        if (deps.stopping.aborted) return;
        await watch(experiment, { ...known, ...inRound }, deps).catch((error: unknown) => {
          const { id: experimentId } = experiment;
          deps.log.warn({ err: error, orgId, experimentId }, "the guard could not check an experiment");
        });
      }
    }
  };
}

/** Asks at the first call, and again after a failure. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

function isGuarded({ config }: Experiment): boolean {
  return isAssigning(config) && (config.guard !== null || config.rollout !== null);
}

async function watch(experiment: Experiment, known: Known & InRound, deps: Deps): Promise<void> {
  const { orgId, id, config } = experiment;
  const { guard, rollout } = config;
  const actor = { ...SYSTEM, orgId };
  const signals = guard === null ? [] : await look(experiment, known, deps);
  const [harm] = harmsOf(signals);
  if (harm !== undefined) {
    await holdExperiment(
      actor,
      id,
      { reason: describeHarm(harm, config.control), guardrail: harm.signal },
      deps,
    );
    return;
  }
  const dueAt = rollout && nextStageAt(rollout);
  // Without a user in an arm, nothing shows that the stage does no harm.
  const isSeen =
    guard === null || signals.every(({ signal, treatmentValue }) => signal !== SPLIT || treatmentValue);
  if (dueAt !== null && dueAt <= deps.clock.now() && isSeen) await advanceRollout(actor, id, deps);
}

/** Looks at an experiment's signals, and stores what it saw for people to read. */
async function look(
  experiment: Experiment,
  known: Known & InRound,
  deps: Deps,
): Promise<readonly SignalLook[]> {
  const { control, clock, guardSums } = deps;
  const { orgId, id, version, config } = experiment;
  const { control: controlKey, metrics, holds } = config;
  const periods = await known.periods.load(experiment, version);
  const shares = periods.at(-1)?.shares ?? {};
  const newest = (await known.newestExclusions()).get(id) ?? 0;
  const exclusions = [...(await known.exclusions.load(experiment, newest)), ...configExclusions(config)];
  const begun = [...periods.map(({ startsAt }) => startsAt), ...holds.flatMap(({ to }) => to ?? [])];
  const from = Math.max(...begun);
  const selection = {
    ...{ ...eventsOf(experiment, exclusions), arms: Object.keys(shares), occurredFrom: from },
    owners: config.assignment === "external" ? null : ownersOf(experiment),
    metrics: watchedMetrics(metrics).map(({ source, acceptFrom }) => ({ source, acceptFrom })),
    prices: experimentPrices(experiment, await known.ownPrices()).prices,
  };
  const at = clock.now();
  const signals = lookAtGuard({
    sums: await guardSums.load(selection, at),
    signals: watchedSignals(config.guard ?? DEFAULT_GUARD, metrics),
    ...{ control: controlKey, shares, starts: begun.length },
  });
  await control.guardLooks.put(orgId, { experimentId: id, at, from, signals });
  return signals;
}

/** Reads the allocation periods of an experiment as of its version, since there may be a newer one by now. */
async function readPeriods({ orgId, id, version }: Experiment, { control }: Deps) {
  const versions = await control.experiments.listVersions(orgId, id);
  return allocationPeriods(versions.filter((one) => one.version <= version).toReversed());
}

function ownersOf({ config: { salt, bucketCount }, bucketMap }: Experiment): BucketOwners {
  return {
    ...{ salt, bucketCount },
    ends: bucketMap.map(({ end }) => end),
    variants: bucketMap.map(({ variant }) => variant ?? ""),
  };
}
