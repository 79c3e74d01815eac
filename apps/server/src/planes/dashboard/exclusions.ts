import { ExclusionSchema, exclusions as operations, toWire } from "@assay/contract";
import {
  type Caller,
  type ControlStores,
  checkExclusion,
  DomainError,
  type ExclusionEntry,
  type ExclusionMatch,
  type Experiment,
  eventsOf,
  exclusionBalance,
  exclusionsInForce,
  type JsonObject,
  lastExclusion,
  qaExclusions,
} from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { rejectBody } from "../../http/validate.ts";

export const listExclusions = defineRoute(
  operations.listExclusions,
  async ({ params, caller }, { control }) => {
    const { id } = await control.experiments.get(caller.orgId, params.id);
    const entries = await control.exclusions.list(caller.orgId, id);
    return { items: entries.map((entry) => exclusionAnswer(entry, entries)) };
  },
);

export const createExclusion = defineRoute(
  operations.createExclusion,
  async ({ params, query, body: { reason, match }, caller, reply }, deps) => {
    const experiment = await deps.control.experiments.get(caller.orgId, params.id);
    const { id } = experiment;
    if (query.dryRun === "true") return preview(experiment, match, deps);
    const entry = await appendEntry(
      { caller, id, action: "exclusion.create" },
      deps,
      async (stores, made) => {
        await rejectUnfit(experiment, match, stores);
        return { ...made, reason, match, lifts: null };
      },
    );
    reply.code(201);
    return exclusionAnswer(entry, [entry]);
  },
);

export const liftExclusion = defineRoute(
  operations.liftExclusion,
  async ({ params, body: { reason }, caller }, deps) => {
    const { id } = await deps.control.experiments.get(caller.orgId, params.id);
    const lifts = Number(params.number);
    const entry = await appendEntry({ caller, id, action: "exclusion.lift" }, deps, async (stores, made) => {
      rejectUnliftable(lifts, await stores.exclusions.list(caller.orgId, id));
      return { ...made, reason, match: null, lifts };
    });
    return exclusionAnswer(entry, [entry]);
  },
);

/** The experiment's other entries decide whether an entry is in force. */
function exclusionAnswer(entry: ExclusionEntry, entries: readonly ExclusionEntry[]) {
  const inForce = exclusionsInForce(entries).some(({ number }) => number === entry.number);
  return { ...entry, inForce };
}

async function preview(experiment: Experiment, match: ExclusionMatch, { control, events }: Deps) {
  const inForce = await rejectUnfit(experiment, match, control);
  const exclusions = [...inForce, ...qaExclusions(experiment.config)];
  const arms = await events.loadExclusionEffects({ ...eventsOf(experiment, exclusions), match });
  return { arms, ...exclusionBalance(arms) };
}

/** Throws `invalid-body` for a match that the experiment does not accept. Returns the exclusions in force. */
async function rejectUnfit(
  { orgId, id: experimentId }: Experiment,
  match: ExclusionMatch,
  { experiments, exclusions }: Pick<ControlStores, "experiments" | "exclusions">,
): Promise<readonly ExclusionMatch[]> {
  const versions = await experiments.listVersions(orgId, experimentId);
  const variants = new Set(versions.flatMap(({ config }) => config.variants.map(({ key }) => key)));
  const inForce = exclusionsInForce(await exclusions.list(orgId, experimentId));
  rejectBody(checkExclusion(match, { variants, inForce }));
  return inForce.map((exclusion) => exclusion.match);
}

function rejectUnliftable(number: number, entries: readonly ExclusionEntry[]): void {
  const entry = entries.find((one) => one.number === number);
  if (entry === undefined || entry.match === null) {
    const detail = `This experiment has no exclusion with the number ${number}. GET its list of exclusions to see their numbers.`;
    throw new DomainError("exclusion-not-found", detail);
  }
  const lift = entries.find(({ lifts }) => lifts === number);
  if (lift !== undefined)
    throw new DomainError("exclusion-lifted", `Entry ${lift.number} already lifted exclusion ${number}.`);
}

type Made = Pick<ExclusionEntry, "number" | "actor" | "createdAt">;

interface Change {
  readonly caller: Caller;
  /** The id of the experiment. */
  readonly id: string;
  readonly action: "exclusion.create" | "exclusion.lift";
}

/** Appends an entry under the next number, in one transaction with its audit entry. A lock serializes concurrent appends. */
function appendEntry(
  { caller, id, action }: Change,
  { control, clock, newId }: Pick<Deps, "control" | "clock" | "newId">,
  make: (stores: ControlStores, made: Made) => Promise<ExclusionEntry>,
): Promise<ExclusionEntry> {
  const { orgId, userId, name, email } = caller;
  return control.transaction(async (stores) => {
    await stores.experiments.lock(orgId, id);
    const number = lastExclusion(await stores.exclusions.list(orgId, id)) + 1;
    const actor = { id: userId, name, email };
    const entry = await make(stores, { number, actor, createdAt: clock.now() });
    await stores.exclusions.append(orgId, id, entry);
    const target = { targetType: "experiment", targetId: id };
    const audited = { ...target, action, summary: summaryOf(entry), diff: diffOf(entry) };
    await stores.audit.record(auditEntry(caller, audited, { clock, newId }));
    return entry;
  });
}

function summaryOf({ number, lifts }: ExclusionEntry): string {
  return lifts === null ? `Set events aside: exclusion ${number}.` : `Lifted exclusion ${lifts}.`;
}

/** The reason, and the parts of the match by their wire names. Of ids only the number, because people may be erased. */
function diffOf(entry: ExclusionEntry): JsonObject {
  const { reason, match } = toWire(ExclusionSchema, exclusionAnswer(entry, [entry]));
  const parts = Object.entries(match ?? {}).map(
    ([part, value]) => [part, Array.isArray(value) ? `${value.length} ids` : value] as const,
  );
  return Object.fromEntries([["reason", reason], ...parts].map(([field, to]) => [field, { from: null, to }]));
}
