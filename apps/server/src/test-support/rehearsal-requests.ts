import { randomUUID } from "node:crypto";
import {
  type ControlStores,
  monthOf,
  type Rehearsal,
  type RehearsalInput,
  type RehearsalOutcome,
  type RehearsalPlan,
  type RehearsalState,
  type RehearsalTask,
  showPair,
} from "@assay/domain";
import { rehearsalBody } from "./rehearsals.ts";
import type { ValidRequest, World } from "./role-objects.ts";

const plan: RehearsalPlan = {
  ...{ datasetId: randomUUID(), repeats: 1, margin: 0.1, budgetUsd: 1 },
  arms: ["control", "treatment"].map((name) => ({ name, prompt: null, model: "m", parameters: {} })),
  judge: { rubric: "Is it right?", mode: "pairwise", scale: "pass_fail" },
};

function putRehearsal(
  { rehearsals }: Pick<ControlStores, "rehearsals">,
  orgId: string,
  inputs: readonly RehearsalInput[],
): Promise<Rehearsal> {
  const made = { id: randomUUID(), orgId, plan, stopWhenEnough: true, prices: [] };
  const by = { createdAt: Date.now(), createdBy: "person", createdByName: "Person" };
  return rehearsals.put({ ...made, ...by, judgeModel: "j", judgeVersion: "j@1" }, inputs);
}

/** Puts a rehearsal without inputs into the org, and returns its address. */
async function placed({ api, orgId }: World, state: RehearsalState): Promise<string> {
  const control = api.openControl();
  try {
    const rehearsal = await putRehearsal(control, orgId, []);
    if (state !== "running")
      await control.rehearsals.move(rehearsal, { state, endedBecause: null, at: Date.now() });
    return `/v1/rehearsals/${rehearsal.id}`;
  } finally {
    await control.close();
  }
}

/** Has every arm answer an input and a judge compare the answers, and ends the rehearsal. Returns its address and its pair. */
export async function putJudgedRehearsal({
  api,
  orgId,
}: Pick<World, "api" | "orgId">): Promise<{ readonly path: string; readonly pair: string }> {
  const control = api.openControl();
  try {
    const rehearsal = await putRehearsal(control, orgId, [
      { place: 0, itemId: "q-0", position: 0, userId: null, probability: 1, characters: 3 },
    ]);
    const now = Date.now();
    const claims = { now, leaseUntil: now + 60_000, limit: 9, claim: randomUUID() };
    for (const kind of ["answer", "judgement"] as const) {
      const tasks = await control.rehearsals.claim(rehearsal, { ...claims, kinds: [kind] });
      const settled = tasks.map((task) => ({
        task,
        outcome: outcomeOf(task),
        ...{ usage: null, at: now, month: monthOf(now) },
      }));
      await control.rehearsals.settleAll(settled);
    }
    await control.rehearsals.move(rehearsal, { state: "done", endedBecause: "completed", at: now });
    const [pair] = await control.rehearsals.listJudgedPairs(orgId, rehearsal.id);
    const shown = pair && showPair(rehearsal.id, pair);
    return { path: `/v1/rehearsals/${rehearsal.id}`, pair: shown?.id ?? "" };
  } finally {
    await control.close();
  }
}

function outcomeOf({ kind, arm }: RehearsalTask): RehearsalOutcome {
  const text = `By arm ${arm}.`;
  return kind === "answer"
    ? { kind: "answered", text, length: text.length, latencyMs: 1 }
    : { kind: "preferred", preference: "tie", reason: "Alike." };
}

type Make = (world: World) => ValidRequest | Promise<ValidRequest>;

/** Valid requests of the routes of rehearsals. */
export const rehearsalRequests: Readonly<Record<string, Make>> = {
  "POST /v1/rehearsals": () => ({ path: "/v1/rehearsals", body: rehearsalBody(randomUUID()) }),
  "GET /v1/rehearsals/{id}": async (world) => ({ path: await placed(world, "running") }),
  "GET /v1/rehearsals/{id}/pairs": async (world) => ({ path: `${await placed(world, "running")}/pairs` }),
  "POST /v1/rehearsals/{id}/pause": async (world) => ({ path: `${await placed(world, "running")}/pause` }),
  "POST /v1/rehearsals/{id}/resume": async (world) => ({ path: `${await placed(world, "paused")}/resume` }),
  "GET /v1/rehearsals/{id}/picks/queue": async (world) => ({
    path: `${(await putJudgedRehearsal(world)).path}/picks/queue`,
  }),
  "POST /v1/rehearsals/{id}/picks": async (world) => {
    const { path, pair } = await putJudgedRehearsal(world);
    return { path: `${path}/picks`, body: { id: pair, best: "first" } };
  },
  "GET /v1/rehearsals/{id}/forecast": async (world) => ({
    path: `${(await putJudgedRehearsal(world)).path}/forecast`,
  }),
  "POST /v1/rehearsals/{id}/experiments": async (world) => ({
    path: `${(await putJudgedRehearsal(world)).path}/experiments`,
    body: { name: randomUUID(), treatments: ["treatment"] },
  }),
  "POST /v1/rehearsals/{id}/stop": async (world) => ({ path: `${await placed(world, "running")}/stop` }),
};
