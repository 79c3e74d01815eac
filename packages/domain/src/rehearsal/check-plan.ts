import type { JsonObject } from "../json.ts";
import { JUDGE_PROTOCOL, SCALE_RANGES, versionOf } from "../judge/judge.ts";
import { PAIRWISE_PROTOCOL } from "../judge/pairwise-request.ts";
import type { FieldFault } from "../problem.ts";
import type { RehearsalJudge, RehearsalPlan } from "./rehearsal.ts";

export const MIN_REHEARSAL_ARMS = 2;
export const MAX_REHEARSAL_ARMS = 5;
export const MAX_REHEARSAL_REPEATS = 5;
/** Maximum number of answers of all arms to all inputs. */
export const MAX_REHEARSAL_ANSWERS = 50_000;
/** Maximum number of an org's running and paused rehearsals. */
export const MAX_OPEN_REHEARSALS = 5;
export const MAX_REHEARSAL_BUDGET_USD = 100_000;
/** Maximum number of characters of an arm's parameters as JSON. */
export const MAX_ARM_PARAMETERS = 10_000;

/** Parameters that the service sets itself, or that would change the form of the answer. */
const RESERVED = ["model", "messages", "n", "stream", "stream_options"];

/** Lists what is wrong with a plan whose fields have the right form. */
export function checkRehearsalPlan(plan: RehearsalPlan): readonly FieldFault[] {
  const { arms, judge, margin } = plan;
  return [
    ...arms.flatMap(({ name, parameters }, place) => [
      ...(arms.findIndex((arm) => arm.name === name) < place
        ? [fault(`/arms/${place}/name`, "Another arm has this name: each arm needs its own.")]
        : []),
      ...parameterFaults(parameters, `/arms/${place}/parameters`),
    ]),
    ...marginFaults(judge, margin),
  ];
}

/** Returns a fault if a rehearsal would need too many answers. `inputs`: number of inputs of the dataset. */
export function checkRehearsalSize(
  { arms, repeats }: Pick<RehearsalPlan, "arms" | "repeats">,
  inputs: number,
): readonly FieldFault[] {
  if (inputs === 0)
    return [fault("/dataset_id", "The dataset has no inputs: choose another dataset, or upload inputs.")];
  const answers = inputs * arms.length * repeats;
  if (answers <= MAX_REHEARSAL_ANSWERS) return [];
  const [needed, most] = [answers, MAX_REHEARSAL_ANSWERS].map((count) => count.toLocaleString("en-US"));
  const detail = `${inputs} inputs × ${arms.length} arms × ${repeats} repeats are ${needed} answers, and a rehearsal has at most ${most}: take a smaller dataset, fewer arms or fewer repeats.`;
  return [fault("/dataset_id", detail)];
}

function parameterFaults(parameters: JsonObject, pointer: string): readonly FieldFault[] {
  const reserved = RESERVED.filter((name) => name in parameters);
  if (reserved.length > 0)
    return reserved.map((name) =>
      fault(`${pointer}/${name}`, `The service sets ${name} itself: leave it out.`),
    );
  return JSON.stringify(parameters).length > MAX_ARM_PARAMETERS
    ? [fault(pointer, `At most ${MAX_ARM_PARAMETERS.toLocaleString("en-US")} characters of JSON.`)]
    : [];
}

function marginFaults({ mode, scale }: RehearsalJudge, margin: number): readonly FieldFault[] {
  const { min, max } = SCALE_RANGES[scale];
  const most = mode === "pairwise" ? 1 : max - min;
  if (margin <= most) return [];
  const of = mode === "pairwise" ? "a preference runs from -1 to 1" : `the scale ${scale} has ${most}`;
  return [fault("/margin", `The margin is at most ${most}: ${of}.`)];
}

const fault = (pointer: string, detail: string): FieldFault => ({ pointer, detail });

/** Identifies everything that determines what the judge of a rehearsal says. */
export function rehearsalJudgeVersion(model: string, { rubric, mode, scale }: RehearsalJudge): string {
  return mode === "pairwise"
    ? versionOf(model, ["pairwise", PAIRWISE_PROTOCOL, model, rubric])
    : versionOf(model, ["score", JUDGE_PROTOCOL, model, rubric, scale]);
}
