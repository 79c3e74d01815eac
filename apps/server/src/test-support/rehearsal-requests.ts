import { randomUUID } from "node:crypto";
import type { RehearsalPlan, RehearsalState } from "@assay/domain";
import { rehearsalBody } from "./rehearsals.ts";
import type { ValidRequest, World } from "./role-requests.ts";

const plan: RehearsalPlan = {
  ...{ datasetId: randomUUID(), repeats: 1, margin: 0.1, budgetUsd: 1 },
  arms: ["control", "treatment"].map((name) => ({ name, prompt: null, model: "m", parameters: {} })),
  judge: { rubric: "Is it right?", mode: "pairwise", scale: "pass_fail" },
};

/** Puts a rehearsal without inputs into the org, and returns its address. */
async function placed({ api, orgId }: World, state: RehearsalState): Promise<string> {
  const control = api.openControl();
  try {
    const id = randomUUID();
    const made = { id, orgId, plan, stopWhenEnough: true, judgeModel: "j", judgeVersion: "j@1", prices: [] };
    const by = { createdAt: Date.now(), createdBy: "person", createdByName: "Person" };
    const rehearsal = await control.rehearsals.put({ ...made, ...by }, []);
    if (state !== "running")
      await control.rehearsals.move(rehearsal, { state, endedBecause: null, at: Date.now() });
    return `/v1/rehearsals/${id}`;
  } finally {
    await control.close();
  }
}

type Make = (world: World) => ValidRequest | Promise<ValidRequest>;

/** Valid requests of the routes of rehearsals. */
export const rehearsalRequests: Readonly<Record<string, Make>> = {
  "POST /v1/rehearsals": () => ({ path: "/v1/rehearsals", body: rehearsalBody(randomUUID()) }),
  "GET /v1/rehearsals/{id}": async (world) => ({ path: await placed(world, "running") }),
  "GET /v1/rehearsals/{id}/pairs": async (world) => ({ path: `${await placed(world, "running")}/pairs` }),
  "POST /v1/rehearsals/{id}/pause": async (world) => ({ path: `${await placed(world, "running")}/pause` }),
  "POST /v1/rehearsals/{id}/resume": async (world) => ({ path: `${await placed(world, "paused")}/resume` }),
  "POST /v1/rehearsals/{id}/stop": async (world) => ({ path: `${await placed(world, "running")}/stop` }),
};
