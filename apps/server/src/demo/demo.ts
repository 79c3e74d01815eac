import { fromWireConfig } from "@assay/contract";
import {
  addDays,
  type Caller,
  type ControlPlane,
  DomainError,
  dayOf,
  type Experiment,
  firstVersion,
  startOfDay,
} from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { type DemoSource, demoEvents } from "./demo-events.ts";
import { DEMO_EXPERIMENT } from "./demo-experiment.ts";
import { DEMO_DAYS } from "./demo-traffic.ts";
import { demoIdOf, findDemo } from "./find-demo.ts";
import { runDemoNights } from "./run-demo-nights.ts";

/**
 * Loads the demo into the caller's org: an experiment that looks as if it had run for the last whole days, each night
 * analysed. The events come first, then the experiment, then its nights: one that exists has all its events, and a load
 * that was cut off is finished by the next. Throws `experiment-name-taken`.
 */
export function loadDemo(caller: Caller, deps: Deps): Promise<Experiment> {
  return deps.demoTurns(caller.orgId, async () => {
    const demo = (await findDemo(caller.orgId, deps.control)) ?? (await createDemo(caller, deps));
    await runDemoNights(demo, { id: caller.userId, name: caller.name || caller.email }, deps);
    return demo;
  });
}

async function createDemo(caller: Caller, deps: Deps): Promise<Experiment> {
  const { orgId } = caller;
  const name = await freeName(orgId, deps.control);
  const content = firstVersion(fromWireConfig({ ...DEMO_EXPERIMENT, name }));
  const firstDay = addDays(dayOf(deps.clock.now()), -DEMO_DAYS);
  const source = { ...content, id: demoIdOf(orgId), orgId, firstDay };
  // A load that was cut off on an earlier day left these events with other times.
  await deps.events.removeExperiment(orgId, source.id);
  await deps.events.appendUncounted(await demoEvents(source));
  try {
    return await storeDemo(source, caller, deps);
  } catch (error) {
    // Another process may have been faster.
    const other = await findDemo(orgId, deps.control);
    if (other === null) throw error;
    return other;
  }
}

async function freeName(orgId: string, { experiments }: Pick<ControlPlane, "experiments">): Promise<string> {
  const names = [DEMO_EXPERIMENT.name, `${DEMO_EXPERIMENT.name} (demo)`];
  for (const name of names) if ((await experiments.find(orgId, name)) === null) return name;
  const detail = `There are experiments named ${names.join(" and ")} already: rename one of them.`;
  throw new DomainError("experiment-name-taken", detail);
}

/** Stores the experiment as created when its traffic begins, and with all its buckets taken: its users have their variants. */
async function storeDemo(
  { firstDay, ...content }: DemoSource,
  caller: Caller,
  { control, snapshots, ...deps }: Deps,
): Promise<Experiment> {
  const at = startOfDay(firstDay);
  const { id, orgId } = content;
  const demo = await control.transaction(async ({ experiments, audit, orgs }) => {
    const { config } = await experiments.create({
      ...content,
      version: 1,
      at,
      by: caller.userId,
      isDemo: true,
    });
    await experiments.markServed(orgId, id, { version: 1, now: at });
    const summary = `Loaded the demo experiment "${config.name}".`;
    const deed = { action: "demo.load", targetType: "experiment", targetId: id, summary };
    await audit.record(auditEntry(caller, deed, deps));
    await orgs.bumpConfigVersion(orgId);
    return experiments.get(orgId, id);
  });
  snapshots.invalidate(orgId);
  return demo;
}
