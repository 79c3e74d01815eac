import { randomUUID } from "node:crypto";
import {
  type ControlStores,
  dayOf,
  type ModelPrice,
  type NewRehearsal,
  type Rehearsal,
  type RehearsalInput,
  type RehearsalOutcome,
  type RehearsalPlan,
  type RehearsalTask,
  type SettledRequest,
} from "@assay/domain";
import { JANUARY, NOW, newOrg, ODD_TEXT } from "./fixtures.ts";

export const LEASE = NOW + 60_000;

/** A dollar per million tokens of each kind. */
const priceOf = (model: string): ModelPrice => ({
  ...{ model, effectiveFrom: dayOf(NOW), inputUsdPerMillion: 1, outputUsdPerMillion: 1 },
  ...{ cachedInputUsdPerMillion: null, cacheWrite5mUsdPerMillion: null, cacheWrite1hUsdPerMillion: null },
  ...{ audioInputUsdPerMillion: null, reasoningUsdPerMillion: null, audioOutputUsdPerMillion: null },
});

export const rehearsalPlan = (overrides: Partial<RehearsalPlan> = {}): RehearsalPlan => ({
  datasetId: randomUUID(),
  arms: ["control", "treatment"].map((name) => ({
    ...{ name, prompt: ODD_TEXT, model: "m" },
    parameters: { max_tokens: 1_000_000 },
  })),
  repeats: 1,
  judge: { rubric: "Is it right?", mode: "pairwise", scale: "pass_fail" },
  margin: 0.1,
  budgetUsd: 1_000,
  ...overrides,
});

const inputOf = (place: number): RehearsalInput => ({
  ...{ place, itemId: `item-${place}`, position: 100 - place },
  ...{ userId: `user-${place}`, probability: 0.5, characters: 30 },
});

interface Wanted {
  readonly plan?: Partial<RehearsalPlan>;
  readonly inputs?: number;
  readonly overrides?: Partial<NewRehearsal>;
}

/** Stores a rehearsal, in a new org unless the overrides name one. */
export async function newRehearsal(
  stores: ControlStores,
  { plan, inputs = 3, overrides }: Wanted = {},
): Promise<Rehearsal> {
  const orgId = overrides?.orgId ?? (await newOrg(stores));
  const made: NewRehearsal = {
    ...{ id: randomUUID(), orgId, plan: rehearsalPlan(plan), stopWhenEnough: true },
    ...{ judgeModel: "j", judgeVersion: "j@1", prices: [priceOf("m"), priceOf("j")] },
    ...{ createdAt: NOW, createdBy: "person", createdByName: ODD_TEXT, ...overrides },
  };
  return stores.rehearsals.put(
    made,
    Array.from({ length: inputs }, (_, place) => inputOf(place)),
  );
}

type Claim = Parameters<ControlStores["rehearsals"]["claim"]>[1];

/** Claims requests of every kind, ten at most. */
export const claimOf = (
  { rehearsals }: Pick<ControlStores, "rehearsals">,
  rehearsal: Pick<Rehearsal, "orgId" | "id">,
  overrides: Partial<Claim> = {},
): Promise<readonly RehearsalTask[]> =>
  rehearsals.claim(rehearsal, {
    ...{ kinds: ["answer", "judgement", "score"], now: NOW, leaseUntil: LEASE },
    ...{ limit: 10, claim: randomUUID(), ...overrides },
  });

export const answered = (text: string): RehearsalOutcome => ({
  ...{ kind: "answered", text, length: text.length, latencyMs: 12 },
});
export const preferred = (preference: "control" | "treatment" | "tie"): RehearsalOutcome => ({
  ...{ kind: "preferred", preference, reason: ODD_TEXT },
});
export const postponed = (notBefore: number, isAttempt = true): RehearsalOutcome => ({
  ...{ kind: "postponed", cause: "server-error", detail: ODD_TEXT, notBefore, isAttempt },
});

/** Builds the settlement of a task that cost a dollar. */
export const settlementOf = (
  task: RehearsalTask | undefined,
  outcome: RehearsalOutcome,
  overrides: Partial<SettledRequest> = {},
): SettledRequest => ({
  ...{ task: task!, outcome, usage: { inputTokens: 10, outputTokens: null, costUsd: 1 } },
  ...{ at: NOW + 1, month: JANUARY, ...overrides },
});

export const keysOf = (tasks: readonly RehearsalTask[]) =>
  tasks.map(({ kind, place, arm, first }) =>
    [kind, place, arm, ...(first === null ? [] : [first])].join(" "),
  );

/** What was settled about the first input. */
export async function textsOf({ rehearsals }: ControlStores, { orgId, id }: Pick<Rehearsal, "orgId" | "id">) {
  const { items } = await rehearsals.listPairs(orgId, id, { limit: 1, maxCharacters: 1_000 });
  return items[0]?.records ?? [];
}

export const answerAll = (
  { rehearsals }: ControlStores,
  tasks: readonly RehearsalTask[],
  textOf = ({ place, arm }: RehearsalTask) => `${place} by ${arm}`,
) => rehearsals.settleAll(tasks.map((task) => settlementOf(task, answered(textOf(task)))));
