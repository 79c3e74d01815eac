import {
  type ConfigInput,
  checkPlanChange,
  DomainError,
  dayOf,
  type Experiment,
  firstVersion,
  isSamePlan,
  mergeConfig,
  mergePlan,
  rejectFaults,
  startOfDay,
} from "@assay/domain";
import { planHorizon } from "@assay/pipeline";
import type { Deps } from "../../deps.ts";
import { type Known, loadKnown, type Planned } from "./plan-known.ts";

/** Gives an experiment that starts without a horizon the horizon that its traffic, targets and margins need. */
export async function withStartPlan(input: ConfigInput, orgId: string, deps: Deps): Promise<ConfigInput> {
  const content = firstVersion(input);
  const { status, plan } = content.config;
  if (status !== "running" || plan.horizonWeeks !== null) return input;
  return { ...input, plan: await planned({ ...content, orgId, id: null }, input, deps) };
}

/** Does the same for a change. Throws `invalid-body` for a change of the plan without a reason once users are exposed. */
export async function withChangedPlan(
  current: Experiment,
  change: Partial<ConfigInput>,
  deps: Deps,
): Promise<Partial<ConfigInput>> {
  const { plan: before } = current.config;
  const changes = change.plan !== undefined && !isSamePlan(before, mergePlan(before, change.plan));
  if (changes && (await isExposed(current, deps))) rejectFaults(checkPlanChange(before, change.plan));
  const config = mergeConfig(current.config, change);
  if (config.status !== "running" || config.plan.horizonWeeks !== null) return change;
  return { ...change, plan: await planned({ ...current, config }, change, deps) };
}

async function planned(
  content: Planned,
  { plan }: Partial<ConfigInput>,
  deps: Deps,
): Promise<ConfigInput["plan"]> {
  const { config, orgId } = content;
  const known = (await hasHistory(orgId, deps)) ? await knownOf(content, deps) : NOTHING_KNOWN;
  const { notes: _notes, ...horizon } = planHorizon({
    ...{ config, shares: known.shares, baselines: known.baselines, plan: config.plan },
    usersPerDay: known.usersPerDay?.value ?? null,
  });
  return { ...plan, ...horizon };
}

const NOTHING_KNOWN: Known = { shares: {}, baselines: new Map(), usersPerDay: null };

/** An experiment can start while the event store is down. It is then planned as if there were no history. */
async function knownOf(content: Planned, deps: Deps): Promise<Known> {
  return loadKnown(content, {}, deps).catch((error: unknown) => {
    if (error instanceof DomainError && error.kind === "storage-unavailable") return NOTHING_KNOWN;
    throw error;
  });
}

/** Without a started experiment from before today, there is no full day of users to plan from. */
async function hasHistory(orgId: string, { control, clock }: Deps): Promise<boolean> {
  const today = startOfDay(dayOf(clock.now()));
  const experiments = await control.experiments.list(orgId);
  return experiments.some(
    ({ createdAt, config, isDemo }) => createdAt < today && config.status !== "draft" && !isDemo,
  );
}

async function isExposed({ orgId, id }: Experiment, { events }: Deps): Promise<boolean> {
  const counts = await events.countExposures({ orgId, experimentId: id, exclusions: [] });
  return counts.some(({ exposures }) => exposures > 0);
}
