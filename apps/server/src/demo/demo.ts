import { type DemoName, ExperimentConfigBody, fromWire, toConfigInput } from "@assay/contract";
import {
  addDays,
  type Caller,
  type ControlPlane,
  type ControlStores,
  DomainError,
  dayOf,
  type Experiment,
  firstVersion,
  startOfDay,
} from "@assay/domain";
import { v5 as uuidOfName } from "uuid";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { waitForDrain } from "../worker/wait-for-drain.ts";
import type { Demo } from "./demo-definition.ts";
import { type DemoSource, demoEvents } from "./demo-events.ts";
import { DEMO_DAYS } from "./demo-traffic.ts";
import { DEMOS } from "./demos.ts";
import { runDemoNights } from "./run-demo-nights.ts";

const DRAIN_MS = 5_000;

/**
 * Loads a demo into the caller's org: an experiment that looks as if it had run for the last whole days, with every
 * night analyzed. The events are stored first, then the experiment, then its nights. So a demo that exists has all its
 * events, and the next load completes an interrupted one. Throws `experiment-name-taken`.
 */
export function loadDemo(name: DemoName, caller: Caller, deps: Deps): Promise<Experiment> {
  const demo = DEMOS[name];
  return deps.demoTurns(caller.orgId, async () => {
    const experiment =
      (await findDemo(demo, caller.orgId, deps.control)) ?? (await createDemo(demo, caller, deps));
    await runDemoNights(experiment, { demo, loaderId: caller.userId }, deps);
    return experiment;
  });
}

async function createDemo(demo: Demo, caller: Caller, deps: Deps): Promise<Experiment> {
  const { orgId } = caller;
  const name = await freeName(demo.experiment.name, orgId, deps.control);
  const content = firstVersion(toConfigInput(fromWire(ExperimentConfigBody, { ...demo.experiment, name })));
  const firstDay = addDays(dayOf(deps.clock.now()), -DEMO_DAYS);
  const source = { ...content, demo, id: demoIdOf(demo, orgId), orgId, firstDay };
  // An interrupted load on an earlier day stored these events with other times.
  await deps.events.removeExperiment(orgId, source.id);
  await deps.events.appendUnmetered(await demoEvents(source));
  try {
    return await storeDemo(source, caller, deps);
  } catch (error) {
    // Another process may have been faster.
    const other = await findDemo(demo, orgId, deps.control);
    if (other === null) throw error;
    return other;
  }
}

async function freeName(
  own: string,
  orgId: string,
  { experiments }: Pick<ControlPlane, "experiments">,
): Promise<string> {
  const names = [own, `${own} (demo)`];
  for (const name of names) if ((await experiments.find(orgId, name)) === null) return name;
  const detail = `Experiments named ${names.join(" and ")} already exist: rename one of them.`;
  throw new DomainError("experiment-name-taken", detail);
}

/** Stores the experiment as created when its traffic begins and as served, because its users already have their variants. */
async function storeDemo(
  { firstDay, demo: _demo, ...content }: DemoSource,
  caller: Caller,
  { control, snapshots, ...deps }: Deps,
): Promise<Experiment> {
  const at = startOfDay(firstDay);
  const { id, orgId } = content;
  const demo = await control.transaction(async ({ experiments, audit, orgs }) => {
    await orgs.lock(orgId);
    const { config } = await experiments.create({
      ...content,
      version: 1,
      at,
      by: caller.userId,
      isDemo: true,
    });
    await experiments.markServed(orgId, id, { version: 1, now: at });
    const summary = `Loaded the demo experiment "${config.name}".`;
    const action = { action: "demo.load", targetType: "experiment", targetId: id, summary };
    await audit.record(auditEntry(caller, action, deps));
    await orgs.bumpConfigVersion(orgId);
    return experiments.get(orgId, id);
  });
  snapshots.invalidate(orgId);
  return demo;
}

/** Removes demos with all their data from the caller's org, including the remains of an interrupted load or removal. */
export function removeDemos(names: readonly DemoName[], caller: Caller, deps: Deps): Promise<void> {
  const demos = names.map((name) => DEMOS[name]);
  return deps.demoTurns(caller.orgId, async () => {
    for (const demo of demos) await removeExperiment(demo, caller, deps);
    // Their events that are still in the queue are dropped there, because the experiments no longer exist.
    await waitForDrain(DRAIN_MS, deps);
    for (const demo of demos) await deps.events.removeExperiment(caller.orgId, demoIdOf(demo, caller.orgId));
  });
}

async function removeExperiment(
  { idName }: Demo,
  caller: Caller,
  { control, snapshots, ...deps }: Deps,
): Promise<void> {
  const { orgId } = caller;
  await control.transaction(async ({ experiments, audit, orgs }) => {
    await orgs.lock(orgId);
    const demo = await findDemo({ idName }, orgId, { experiments });
    if (demo === null || !(await experiments.remove(orgId, demo.id))) return;
    const summary = `Removed the demo experiment "${demo.config.name}".`;
    const action = { action: "demo.remove", targetType: "experiment", targetId: demo.id, summary };
    await audit.record(auditEntry(caller, action, deps));
    await orgs.bumpConfigVersion(orgId);
  });
  snapshots.invalidate(orgId);
}

/** Computes the id of an org's demo, always the same one, so that the remains of an interrupted load are found. */
export function demoIdOf({ idName }: Pick<Demo, "idName">, orgId: string): string {
  return uuidOfName(idName, orgId);
}

/** Finds an org's demo; null when it is not loaded. */
async function findDemo(
  demo: Pick<Demo, "idName">,
  orgId: string,
  { experiments }: Pick<ControlStores, "experiments">,
): Promise<Experiment | null> {
  const id = demoIdOf(demo, orgId);
  const found = await experiments.find(orgId, id);
  // Another experiment may be named like this id.
  return found?.id === id ? found : null;
}
