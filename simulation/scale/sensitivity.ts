import { costOf } from "./cost.ts";
import { INPUTS, type InputName, valuesOf } from "./inputs.ts";
import { sizeDeployment } from "./size-deployment.ts";

/** The effect on the result when one input alone moves to its ends. */
export interface Effect {
  readonly name: InputName;
  readonly dollars: readonly [low: number, high: number];
  readonly vcpus: readonly [low: number, high: number];
}

/** Moves each input to its low and high end; largest swing in cost first, without inputs that change nothing. */
export function effectsOf(eventsPerDay: number): readonly Effect[] {
  const names = Object.keys(INPUTS) as InputName[];
  const effects = names.map((name): Effect => {
    const ends = [INPUTS[name].low, INPUTS[name].high].map((value) => {
      const values = valuesOf({ eventsPerDay, ...(name === "eventsPerDay" ? {} : { [name]: value }) });
      const deployment = sizeDeployment(values);
      const vcpus = deployment.roles.reduce((sum, role) => sum + role.machines * role.vcpus, 0);
      return { dollars: costOf(deployment, values).total, vcpus };
    });
    const [low, high] = ends as [(typeof ends)[number], (typeof ends)[number]];
    return { name, dollars: [low.dollars, high.dollars], vcpus: [low.vcpus, high.vcpus] };
  });
  const swing = ({ dollars }: Effect) => Math.abs(dollars[1] - dollars[0]);
  return effects.filter((effect) => swing(effect) > 1).sort((a, b) => swing(b) - swing(a));
}
