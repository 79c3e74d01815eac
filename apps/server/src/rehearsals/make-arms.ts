import type { BodyOf, rehearsals as operations } from "@assay/contract";
import type { ControlStores, FieldFault, JsonObject, RehearsalArm } from "@assay/domain";
import { rejectBody } from "../http/validate.ts";

type ArmBody = BodyOf<typeof operations.createRehearsal>["arms"][number];
type Experiments = Pick<ControlStores, "experiments">;

/** Variables of a variant that are parameters of a request. */
const PARAMETERS = [
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "frequency_penalty",
  "presence_penalty",
  "seed",
  "stop",
  "response_format",
];

/** Makes the arms from a body. An arm may use a variant's content. Throws `invalid-body` for an arm without a model. */
export async function makeArms(
  orgId: string,
  bodies: readonly ArmBody[],
  stores: Experiments,
): Promise<readonly RehearsalArm[]> {
  const made = await Promise.all(bodies.map((body, place) => makeArm(orgId, { body, place }, stores)));
  rejectBody(made.flatMap(({ fault }) => fault ?? []));
  return made.flatMap(({ arm }) => arm ?? []);
}

interface Made {
  readonly arm?: RehearsalArm;
  readonly fault?: FieldFault;
}

interface Asked {
  readonly body: ArmBody;
  readonly place: number;
}

async function makeArm(orgId: string, { body, place }: Asked, stores: Experiments): Promise<Made> {
  const of = await findVariant(orgId, { body, place }, stores);
  if ("fault" in of) return of;
  const { prompt, variables } = of;
  const model = body.model ?? (typeof variables.model === "string" ? variables.model : "");
  if (model.trim() === "") {
    const detail =
      body.variant === undefined
        ? "Name the model that answers."
        : 'The variant names no model: give one here, or set the variable "model" of the variant.';
    return { fault: { pointer: `/arms/${place}/model`, detail } };
  }
  const taken = Object.entries(variables).filter(([name]) => PARAMETERS.includes(name));
  const parameters = body.parameters ?? Object.fromEntries(taken);
  return {
    arm: { name: body.name, prompt: body.prompt === undefined ? prompt : body.prompt, model, parameters },
  };
}

interface Taken {
  readonly prompt: string | null;
  readonly variables: JsonObject;
}

async function findVariant(
  orgId: string,
  { body, place }: Asked,
  { experiments }: Experiments,
): Promise<Taken | { readonly fault: FieldFault }> {
  const { experimentId, variant: key } = body;
  if (experimentId === undefined && key === undefined) return { prompt: null, variables: {} };
  const fault = (field: string, detail: string) => ({
    fault: { pointer: `/arms/${place}/${field}`, detail },
  });
  if (experimentId === undefined)
    return fault("experiment_id", "Name the experiment that the variant belongs to.");
  if (key === undefined) return fault("variant", "Name the variant of the experiment.");
  const experiment = await experiments.find(orgId, experimentId);
  if (experiment === null)
    return fault("experiment_id", "No experiment with this id or name exists in this organization.");
  const { config } = experiment;
  const variant = config.variants.find((one) => one.key === key);
  if (variant === undefined) {
    const keys = config.variants.map((one) => one.key).join(", ");
    return fault("variant", `The experiment "${config.name}" has no variant "${key}". It has ${keys}.`);
  }
  return { prompt: variant.prompt, variables: variant.variables ?? {} };
}
