import { murmur3 } from "@assay/bucketing";
import {
  type Caller,
  countCalls,
  DAY_MS,
  type Dataset,
  type DatasetItem,
  type DomainError,
  type Experiment,
  eventsOf,
  invalidBody,
  MAX_DATASET_BYTES,
  PLAN_LIMITS,
  type PromptedCall,
  planDraw,
  rawExpiresAt,
  weightOfEvent,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { loadExclusions } from "../exclusions/load-exclusions.ts";
import { loadPrompts } from "../judging/load-questions.ts";
import { type InputThread, startInputThread } from "./input-thread.ts";
import { storeDataset } from "./store-dataset.ts";

const MAX_DAYS = 31;
/** Prompts that are loaded at a time. */
const BYTES_AT_A_TIME = 8 * 1024 ** 2;

export interface Draw {
  readonly name: string;
  readonly experiment: Experiment;
  /** Half-open window, epoch milliseconds. */
  readonly from: number;
  readonly until: number;
  readonly items: number;
  readonly caller: Caller;
  /** Aborted when nobody waits for the answer, or the service stops. */
  readonly signal: AbortSignal;
}

type DrawDeps = Pick<Deps, "control" | "events" | "plans" | "clock" | "newId">;

/** Draws a dataset from an experiment's calls. Throws `invalid-body` when there are no calls, or too many. */
export async function drawDataset(draw: Draw, deps: DrawDeps): Promise<Dataset> {
  const { name, experiment, from, until, caller, signal } = draw;
  rejectWindow(draw);
  const id = deps.newId();
  const { calls, drawn } = await chooseCalls(draw, id, deps);
  const { items, masked } = await readInputs(draw, { calls, drawn }, deps);
  signal.throwIfAborted();
  const receivedFrom = drawn.reduce((first, { receivedAt }) => Math.min(first, receivedAt), Infinity);
  const leftOut = drawn.length - items.length;
  if (items.length === 0) throw refused("", `None of the ${leftOut} drawn calls has a usable input.`);
  const source = {
    ...({ kind: "calls", experimentId: experiment.id } as const),
    ...{ from, until, calls, leftOut, receivedFrom },
  };
  const expiresAt = await expiryOf(caller.orgId, receivedFrom, deps);
  return storeDataset({ id, name, source, masked, expiresAt }, items, { ...deps, caller });
}

function rejectWindow({ from, until }: Draw): void {
  if (until <= from) throw refused("/until", "must be later than `from`.");
  if (until - from > MAX_DAYS * DAY_MS)
    throw refused("/until", `must be at most ${MAX_DAYS} days after \`from\`.`);
}

/** The dataset's id is the salt: another draw takes other calls. */
async function chooseCalls({ experiment, from, until, items, signal }: Draw, salt: string, deps: DrawDeps) {
  const { events } = deps;
  const exclusions = await loadExclusions(experiment, deps);
  const query = { ...eventsOf(experiment, exclusions), from, until };
  const cells = await events.countPrompted(query);
  signal.throwIfAborted();
  const calls = countCalls(cells);
  if (calls === 0)
    throw refused(
      "",
      "has no calls with a prompt in this window: choose another, or have your application log prompts.",
    );
  const plan = planDraw(cells, items, murmur3(salt, 0) / 2 ** 32);
  const drawn = await events.drawPrompted({ ...query, salt }, plan);
  signal.throwIfAborted();
  const bytes = drawn.reduce((sum, { promptBytes }) => sum + promptBytes, 0);
  if (bytes > MAX_DATASET_BYTES) {
    const fewer = Math.floor((drawn.length * MAX_DATASET_BYTES) / bytes);
    throw refused(
      "/items",
      `is too many: together, the prompts are larger than 64 MiB. Draw about ${fewer}.`,
    );
  }
  return { calls, drawn };
}

async function readInputs(
  { experiment, items: wanted, signal }: Draw,
  { calls, drawn }: { readonly calls: number; readonly drawn: readonly PromptedCall[] },
  { control, events }: DrawDeps,
) {
  const rules = await control.maskingRules.get(experiment.orgId);
  const variantPrompts = await loadPrompts(experiment, control);
  const items: DatasetItem[] = [];
  const masked = new Map<string, number>();
  const thread: InputThread = startInputThread(signal);
  try {
    for (const part of portionsOf(drawn)) {
      const ids = part.map(({ eventId }) => eventId);
      const texts = await events.loadTexts(experiment.orgId, experiment.id, ids);
      const read = part.flatMap(({ eventId: id, userId, occurredAt, samplingProbability }) => {
        const prompt = texts.get(id)?.prompt ?? null;
        const probability = Math.min(1, wanted / calls) / weightOfEvent(samplingProbability);
        return prompt === null ? [] : [{ id, prompt, userId, occurredAt, probability, reference: null }];
      });
      const prepared = await thread.prepare({ kind: "calls", calls: read, variantPrompts, rules });
      items.push(...prepared.items);
      for (const [rule, found] of Object.entries(prepared.masked))
        masked.set(rule, (masked.get(rule) ?? 0) + found);
    }
  } finally {
    await thread.close();
  }
  return { items, masked: Object.fromEntries(masked) };
}

function* portionsOf(drawn: readonly PromptedCall[]): Generator<readonly PromptedCall[]> {
  let portion: PromptedCall[] = [];
  let bytes = 0;
  for (const call of drawn) {
    portion.push(call);
    bytes += call.promptBytes;
    if (bytes < BYTES_AT_A_TIME) continue;
    yield portion;
    [portion, bytes] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}

/** When the first of the calls expires under the current plan. Null where no plan limits apply. */
async function expiryOf(orgId: string, receivedFrom: number, { plans }: DrawDeps): Promise<number | null> {
  if (!plans.isEnforced) return null;
  return rawExpiresAt(receivedFrom, PLAN_LIMITS[await plans.inForce(orgId)].retentionDays);
}

function refused(field: string, detail: string): DomainError {
  return invalidBody([{ pointer: `/from_experiment${field}`, detail }]);
}
