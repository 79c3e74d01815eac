import { rehearsals as operations } from "@assay/contract";
import { type Caller, DomainError, preferenceOf, type Rehearsal, type RehearsalState } from "@assay/domain";
import { MIN_LABELS_PER_ARM, MIN_LEDGER_ENTRIES } from "@assay/pipeline";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { pageAnswer, toPageQuery } from "../../http/page.ts";
import * as create from "../../rehearsals/create-rehearsal.ts";
import { pairAnswer } from "../../rehearsals/pair-answer.ts";
import { getShown, loadPickQueue, loadShownPairs, pickedWith } from "../../rehearsals/pick-queue.ts";
import { forecastRehearsal, readLedger, startRehearsed } from "../../rehearsals/rehearsed-experiment.ts";
import { tagged } from "./tagged-experiment.ts";

/** A page of pairs ends when its texts exceed this length. */
const PAGE_CHARACTERS = 2_000_000;
const PAIRS = 10;

export const createRehearsal = defineRoute(operations.createRehearsal, async ({ body, caller }, deps) => {
  const rehearsal = await create.createRehearsal(caller, body, deps);
  return answerOf(rehearsal, deps);
});

export const listRehearsals = defineRoute(
  operations.listRehearsals,
  async ({ query, caller: { orgId } }, { control }) => {
    const page = await control.rehearsals.list(orgId, toPageQuery(query));
    return pageAnswer(page, (rehearsal) => ({
      ...standingOf(rehearsal),
      arms: rehearsal.plan.arms.map(({ name }) => name),
    }));
  },
);

export const getRehearsal = defineRoute(operations.getRehearsal, async ({ params, caller }, deps) =>
  answerOf(await find(caller.orgId, params.id, deps), deps),
);

export const pauseRehearsal = defineRoute(operations.pauseRehearsal, ({ params, caller }, deps) =>
  move({ caller, id: params.id, to: "paused" }, deps),
);

export const resumeRehearsal = defineRoute(operations.resumeRehearsal, ({ params, caller }, deps) =>
  move({ caller, id: params.id, to: "running" }, deps),
);

export const stopRehearsal = defineRoute(operations.stopRehearsal, ({ params, caller }, deps) =>
  move({ caller, id: params.id, to: "stopped" }, deps),
);

export const listRehearsalPairs = defineRoute(
  operations.listRehearsalPairs,
  async ({ params, query: { limit = PAIRS, ...query }, caller: { orgId } }, deps) => {
    const { control } = deps;
    const rehearsal = await find(orgId, params.id, deps);
    const page = await control.rehearsals.listPairs(orgId, rehearsal.id, {
      ...toPageQuery({ limit, ...query }),
      maxCharacters: PAGE_CHARACTERS,
    });
    return {
      items: await Promise.all(page.items.map((pair) => pairAnswer(rehearsal, pair, deps))),
      nextCursor: page.nextCursor,
    };
  },
);

const SHOWN_PAIRS = 10;

export const getRehearsalPickQueue = defineRoute(
  operations.getRehearsalPickQueue,
  async ({ params, query: { limit = SHOWN_PAIRS }, caller: { orgId } }, { control }) => {
    const rehearsal = await find(orgId, params.id, { control });
    const { pairs, waiting, picked } = await loadPickQueue(rehearsal, { control });
    return {
      rubric: rehearsal.plan.judge.rubric,
      items: await loadShownPairs(rehearsal, waiting, { control, limit }),
      ...{ picked, needed: MIN_LABELS_PER_ARM, pairs },
    };
  },
);

export const createRehearsalPick = defineRoute(
  operations.createRehearsalPick,
  async ({ params, body: { id, best }, caller }, { control, clock }) => {
    const rehearsal = await find(caller.orgId, params.id, { control });
    const queue = await loadPickQueue(rehearsal, { control });
    const pair = getShown(queue, rehearsal, id);
    const pickedAt = clock.now();
    await control.rehearsals.putPick(rehearsal, {
      ...{ place: pair.place, arm: pair.arm, repeat: pair.repeat },
      preference: preferenceOf(best ?? "tie", pair.first),
      ...{ pickedBy: caller.userId, pickedByName: caller.name || caller.email, pickedAt },
    });
    return { id, best, pickedAt, picked: pickedWith(queue, pair, rehearsal) };
  },
);

export const getRehearsalForecast = defineRoute(
  operations.getRehearsalForecast,
  async ({ params, caller }, deps) => forecastRehearsal(await find(caller.orgId, params.id, deps), deps),
);

export const startRehearsedExperiment = defineRoute(
  operations.startRehearsedExperiment,
  async ({ params, body, caller, reply }, deps) => {
    const rehearsal = await find(caller.orgId, params.id, deps);
    const experiment = await startRehearsed(caller, rehearsal, body, deps);
    reply.header("location", `/v1/experiments/${experiment.id}`);
    return tagged(experiment, reply);
  },
);

export const getRehearsalLedger = defineRoute(operations.getRehearsalLedger, async ({ caller }, deps) => ({
  needed: MIN_LEDGER_ENTRIES,
  ...(await readLedger(caller.orgId, deps)),
}));

async function find(orgId: string, id: string, { control }: Pick<Deps, "control">): Promise<Rehearsal> {
  const rehearsal = await control.rehearsals.find(orgId, id);
  if (rehearsal === null)
    throw new DomainError("rehearsal-not-found", "No rehearsal with this id exists in this organization.");
  return rehearsal;
}

type Moved = Exclude<RehearsalState, "done">;

/** For each target state: the states it can be reached from, the error for others, and the audit action. */
const MOVES: Readonly<
  Record<Moved, { readonly from: readonly RehearsalState[]; readonly rule: string; readonly did: string }>
> = {
  paused: { from: ["running"], rule: "Only a running rehearsal can be paused.", did: "Paused" },
  running: {
    from: ["paused"],
    rule: "Only a paused rehearsal can be resumed. If this one has ended, start another.",
    did: "Resumed",
  },
  stopped: {
    from: ["running", "paused"],
    rule: "Only a running or paused rehearsal can be stopped.",
    did: "Stopped",
  },
};

interface Change {
  readonly caller: Caller;
  readonly id: string;
  readonly to: Moved;
}

async function move({ caller, id, to }: Change, deps: Deps) {
  const { control, clock, rehearsing } = deps;
  const { from, rule, did } = MOVES[to];
  const moved = await control.transaction(async ({ rehearsals, audit }) => {
    const rehearsal = await rehearsals.lock(caller.orgId, id);
    if (!from.includes(rehearsal.state))
      throw new DomainError("rehearsal-state", `The rehearsal is ${rehearsal.state}. ${rule}`);
    await rehearsals.move(rehearsal, { state: to, endedBecause: null, at: clock.now() });
    const target = { targetType: "rehearsal", targetId: id };
    const entry = { action: `rehearsal.${ACTIONS[to]}`, ...target, summary: `${did} the rehearsal.` };
    await audit.record(auditEntry(caller, entry, deps));
    return rehearsals.lock(caller.orgId, id);
  });
  if (to === "running") rehearsing.wake();
  return answerOf(moved, deps);
}

const ACTIONS: Readonly<Record<Moved, string>> = { paused: "pause", running: "resume", stopped: "stop" };

/** The fields shown of a rehearsal wherever it appears. */
function standingOf(rehearsal: Rehearsal) {
  const { plan, createdBy, createdByName, ...rest } = rehearsal;
  const { datasetId, budgetUsd } = plan;
  return { ...rest, datasetId, budgetUsd, createdBy: { id: createdBy, name: createdByName } };
}

async function answerOf(rehearsal: Rehearsal, deps: Deps) {
  const { orgId, id, plan, judgeModel, judgeVersion, state, fault } = rehearsal;
  const { arms, repeats, judge, margin } = plan;
  const { finishedInputs, counts } = await deps.control.rehearsals.progress(orgId, id);
  const isUnable = state === "running" && !deps.rehearsing.isConfigured;
  return {
    ...standingOf(rehearsal),
    fault: isUnable ? NO_JUDGE : fault,
    ...{ arms, repeats, margin },
    judge: { ...judge, model: judgeModel, version: judgeVersion },
    progress: { finishedInputs, requests: counts },
    report: await deps.rehearsing.report(rehearsal),
    picksNeeded: MIN_LABELS_PER_ARM,
  };
}

const NO_JUDGE =
  "This installation has no judge any more: set ASSAY_JUDGE_URL and ASSAY_JUDGE_MODEL again, or stop the rehearsal.";
