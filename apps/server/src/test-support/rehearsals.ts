import { randomUUID } from "node:crypto";
import type { DatasetItem, RehearsalReport } from "@assay/domain";
import { expect, vi } from "vitest";
import { JUDGE_MODEL, type JudgeServer } from "./judge-server.ts";
import { type JudgedService, openJudgedService } from "./judged-service.ts";
import type { TestService } from "./test-service.ts";

export const ARM_MODELS = ["m-1", "m-2"] as const;

export interface WireRehearsal {
  readonly id: string;
  readonly state: string;
  readonly ended_because: string | null;
  readonly fault: string | null;
  readonly inputs: number;
  readonly spent_usd: number;
  readonly arms: readonly { readonly name: string; readonly prompt: string | null; readonly model: string }[];
  readonly progress: {
    readonly finished_inputs: number;
    readonly requests: readonly {
      readonly kind: string;
      readonly pending: number;
      readonly done: number;
      readonly failed: number;
      readonly cost_usd: number;
    }[];
  };
  readonly report: Pick<RehearsalReport, "rows"> & {
    readonly verdicts: readonly { readonly verdict: string; readonly detail: string }[];
    readonly is_enough: boolean;
  };
}

/** A service whose judge answers for the arms, too, at a price. */
export async function openRehearsingService(): Promise<JudgedService> {
  const world = await openJudgedService({ judgeTimeoutMs: 20_000 });
  await priceModels(world.api, world.judge);
  return world;
}

/** Waits until a rehearsal is in this state. */
export const untilState = (
  { api }: Pick<JudgedService, "api">,
  { id }: Pick<WireRehearsal, "id">,
  state: string,
): Promise<WireRehearsal> =>
  vi.waitFor(
    async () => {
      const rehearsal = await readRehearsal(api, id);
      expect(rehearsal.state).toBe(state);
      return rehearsal;
    },
    { timeout: 60_000, interval: 50 },
  );

/** Inputs of as many users. */
export const itemsOf = (count: number): readonly DatasetItem[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ id: `q-${i}`, messages: [{ role: "user", text: `What is ${i} times 7?` }] },
    ...{ reference: null, userId: `user-${i}`, occurredAt: null, probability: 1 },
  }));

/** Stores a dataset in the org of the caller. */
export async function putDataset(
  api: TestService,
  items: readonly DatasetItem[],
  token?: string,
): Promise<string> {
  const me = await api.call<{ org_id: string }>("GET", "/v1/whoami", token === undefined ? {} : { token });
  const control = api.openControl();
  try {
    const made = {
      ...{ id: randomUUID(), orgId: me.body.org_id, name: `questions-${randomUUID()}`, masked: {} },
      ...{ source: { kind: "upload", format: "jsonl" } as const, createdAt: Date.now(), createdBy: "person" },
      expiresAt: null,
    };
    return (await control.datasets.put(made, items)).id;
  } finally {
    await control.close();
  }
}

/** Has the endpoint serve the arms' models, and prices all models: a dollar for a million tokens unless another is given. */
export async function priceModels(
  api: TestService,
  judge: JudgeServer,
  usd = 1,
  token?: string,
): Promise<void> {
  judge.serve(...ARM_MODELS);
  for (const model of [JUDGE_MODEL, ...ARM_MODELS]) {
    const price = { input_usd_per_million: usd, output_usd_per_million: usd };
    const body = { model, effective_from: "2026-01-01", ...price };
    const { status } = await api.call("PUT", "/v1/prices", { body, ...(token && { token }) });
    if (status !== 200) throw new Error(`The price of ${model} was not taken: ${status}.`);
  }
}

/** The body of a rehearsal of two arms. */
export const rehearsalBody = (datasetId: string, overrides: object = {}) => ({
  dataset_id: datasetId,
  arms: [
    { name: "control", prompt: "Answer at length, as a patient teacher would.", model: "m-1" },
    { name: "short", prompt: "Answer with the number alone, please.", model: "m-2", parameters: { seed: 7 } },
  ],
  judge: { rubric: "Is it right?" },
  margin: 0.1,
  budget_usd: 100,
  stop_when_enough: false,
  ...overrides,
});

/** Starts a rehearsal. */
export async function startRehearsal(
  api: TestService,
  datasetId: string,
  overrides: object = {},
): Promise<WireRehearsal> {
  const body = rehearsalBody(datasetId, overrides);
  const { status, body: made } = await api.call<WireRehearsal>("POST", "/v1/rehearsals", { body });
  if (status !== 201) throw new Error(JSON.stringify(made));
  return made;
}

/** Stores a dataset of so many inputs, and starts a rehearsal on it. */
export const rehearseItems = async (
  api: TestService,
  count: number,
  overrides: object = {},
): Promise<WireRehearsal> => startRehearsal(api, await putDataset(api, itemsOf(count)), overrides);

export const readRehearsal = async (api: TestService, id: string): Promise<WireRehearsal> =>
  (await api.call<WireRehearsal>("GET", `/v1/rehearsals/${id}`)).body;

/** Counts of one kind of request. */
export function countsOf({ progress }: WireRehearsal, kind: "answer" | "judgement" | "score") {
  const { pending = 0, done = 0, failed = 0 } = progress.requests.find((one) => one.kind === kind) ?? {};
  return { pending, done, failed };
}
