import type { BodyOf, rehearsals as operations } from "@assay/contract";
import {
  type Caller,
  charactersOf,
  checkRehearsalPlan,
  checkRehearsalSize,
  type Dataset,
  type DatasetItem,
  DEFAULT_JUDGE_SCALE,
  DomainError,
  dayOf,
  drawPlaces,
  MAX_OPEN_REHEARSALS,
  type ModelPrice,
  type NewRehearsal,
  priceFor,
  type Rehearsal,
  type RehearsalInput,
  type RehearsalPlan,
  rehearsalJudgeVersion,
} from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { rejectBody } from "../http/validate.ts";
import { judgeAllowanceUsed, judgeLock, loadJudgeAllowance } from "../judging/judge-allowance.ts";
import { loadPrices } from "../prices/price-lists.ts";
import { makeArms } from "./make-arms.ts";

const PAGE = 200;

type Body = BodyOf<typeof operations.createRehearsal>;

/** Starts a rehearsal. If that is not possible, throws an error that says what to do. */
export async function createRehearsal(caller: Caller, body: Body, deps: Deps): Promise<Rehearsal> {
  const { control, clock, newId, rehearsing } = deps;
  const { orgId } = caller;
  const judgeModel = await availableJudge(orgId, deps);
  const dataset = await control.datasets.find(orgId, body.datasetId);
  if (dataset === null)
    throw new DomainError("dataset-not-found", "No dataset with this id exists in this organization.");
  const plan = toPlan(body, await makeArms(orgId, body.arms, control));
  rejectBody([...checkRehearsalPlan(plan), ...checkRehearsalSize(plan, dataset.items)]);
  const models = [...new Set([...plan.arms.map(({ model }) => model), judgeModel])];
  const prices = await pricesOf(orgId, models, deps);
  const id = newId();
  const inputs = await drawInputs(id, dataset, deps);
  // Inputs may have been erased since.
  rejectBody(checkRehearsalSize(plan, inputs.length));
  const made: NewRehearsal = {
    ...{ id, orgId, plan, judgeModel, prices },
    stopWhenEnough: body.stopWhenEnough ?? true,
    judgeVersion: rehearsalJudgeVersion(judgeModel, plan.judge),
    createdAt: clock.now(),
    createdBy: caller.userId,
    createdByName: caller.name || caller.email,
  };
  const rehearsal = await control.transaction(async (stores) => {
    await stores.orgs.lock(orgId);
    if ((await stores.rehearsals.countOpen(orgId)) >= MAX_OPEN_REHEARSALS) throw tooMany();
    const arms = plan.arms.map(({ name }) => `"${name}"`).join(", ");
    const summary = `Started a rehearsal of ${arms} on "${dataset.name}" with ${inputs.length} inputs and a budget of $${plan.budgetUsd}.`;
    const target = { action: "rehearsal.create", targetType: "rehearsal", targetId: id };
    await stores.audit.record(auditEntry(caller, { ...target, summary }, deps));
    return stores.rehearsals.put(made, inputs);
  });
  rehearsing.wake();
  return rehearsal;
}

const tooMany = (): DomainError =>
  new DomainError(
    "too-many-rehearsals",
    `${MAX_OPEN_REHEARSALS} rehearsals of the organization are running or paused, the maximum: stop one, or wait until one is done.`,
  );

function toPlan({ judge, ...body }: Body, arms: RehearsalPlan["arms"]): RehearsalPlan {
  const { datasetId, repeats = 1, margin, budgetUsd } = body;
  const { rubric, mode = "pairwise", scale = DEFAULT_JUDGE_SCALE } = judge;
  return { datasetId, arms, repeats, judge: { rubric, mode, scale }, margin, budgetUsd };
}

/** Returns the judge's model. Throws `judge-not-available` without one, or when the plan allows no judgements. */
async function availableJudge(orgId: string, deps: Deps): Promise<string> {
  const { model } = await deps.judging.status();
  if (model === null || !deps.rehearsing.isConfigured)
    throw new DomainError(
      "judge-not-available",
      "This installation has no judge: set ASSAY_JUDGE_URL and ASSAY_JUDGE_MODEL, and ASSAY_REHEARSAL_URL if another endpoint answers.",
    );
  const allowed = await loadJudgeAllowance(orgId, deps);
  const refusal = judgeLock(allowed) ?? judgeAllowanceUsed(allowed);
  if (refusal !== null) throw new DomainError("judge-not-available", refusal);
  return model;
}

/** Chooses the prices of the models. Throws `model-without-price`, because the budget cannot be kept without prices. */
async function pricesOf(
  orgId: string,
  models: readonly string[],
  deps: Deps,
): Promise<readonly ModelPrice[]> {
  const { prices } = await loadPrices(orgId, dayOf(deps.clock.now()), deps);
  const found = models.map((model) => ({ model, price: priceFor(prices, model) }));
  const without = found.filter(({ price }) => price === null).map(({ model }) => `"${model}"`);
  if (without.length > 0)
    throw new DomainError(
      "model-without-price",
      `There is no price for ${without.join(", ")}, so the budget could not be enforced. An admin can add prices with PUT /v1/prices; a model that costs nothing has prices of 0.`,
    );
  return [...new Set(found.flatMap(({ price }) => price ?? []))];
}

/** Draws the order of a dataset's inputs. */
async function drawInputs(
  rehearsalId: string,
  { orgId, id }: Pick<Dataset, "orgId" | "id">,
  { control }: Pick<Deps, "control">,
): Promise<readonly RehearsalInput[]> {
  const items: (Omit<RehearsalInput, "place"> & Pick<DatasetItem, "id">)[] = [];
  for (let after = -1; ; ) {
    const page = await control.datasets.listItems(orgId, id, { after, limit: PAGE });
    for (const item of page) {
      const { id: itemId, position, userId, probability } = item;
      items.push({ id: itemId, itemId, position, userId, probability, characters: charactersOf(item) });
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.position;
  }
  return drawPlaces(rehearsalId, items).map(({ id: _, ...input }, place) => ({ ...input, place }));
}
