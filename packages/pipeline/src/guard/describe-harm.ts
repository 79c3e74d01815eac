import type { SignalLook } from "@assay/domain";
import { SPLIT } from "./look.ts";

/** Says in a sentence what holds an experiment. */
export function describeHarm(
  { signal, treatment, controlValue, treatmentValue, acceptable, isRelative }: SignalLook,
  control: string,
): string {
  const values = [treatmentValue, controlValue].map((value) => figure(value!)).join(" against ");
  if (signal === SPLIT)
    return `Of the exposures of ${treatment} and ${control}, ${values} are shares that the allocation does not give.`;
  const allowed = isRelative ? `${figure(100 * acceptable!)}% of ${control}` : figure(acceptable!);
  return `${signal} of ${treatment} is ${values} of ${control}: worse by more than ${allowed}, by evidence that holds at any look.`;
}

const figure = (value: number) => `${Number(value.toPrecision(3))}`;
