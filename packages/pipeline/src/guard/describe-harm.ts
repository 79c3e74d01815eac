import type { SignalLook } from "@assay/domain";
import { SPLIT } from "./look.ts";
import { SIGNAL_NAMES } from "./signals.ts";

/** Describes in one sentence the harm that holds an experiment. */
export function describeHarm(
  { signal, treatment, controlValue, treatmentValue, acceptable, isRelative }: SignalLook,
  control: string,
): string {
  const { what, write } = WORDS[signal] ?? { what: signal, write: figure };
  const values = [treatmentValue, controlValue].map((value) => write(value!)).join(" against ");
  if (signal === SPLIT)
    return `The exposures of ${treatment} and ${control} are split ${values}, which does not match the allocation.`;
  const allowed = isRelative
    ? `${share(acceptable!)} of ${control}`
    : write(acceptable!).replace("%", " percentage points");
  return `${what} of ${treatment} is ${values} of ${control}: worse by more than ${allowed}, by evidence that holds at any look.`;
}

const figure = (value: number) => `${Number(value.toPrecision(3))}`;
const share = (value: number) => `${figure(100 * value)}%`;
const dollars = (value: number) => `$${figure(value)}`;

const WORDS: Readonly<Record<string, { readonly what: string; readonly write: (value: number) => string }>> =
  {
    [SIGNAL_NAMES.errorRate]: { what: "The share of failed calls", write: share },
    [SIGNAL_NAMES.latency]: { what: "The mean latency", write: (ms) => `${figure(ms)} ms` },
    [SIGNAL_NAMES.costPerCall]: { what: "The mean cost of a call", write: dollars },
    [SIGNAL_NAMES.costPerUser]: { what: "The cost of as many users", write: dollars },
    [SIGNAL_NAMES.missingUsage]: { what: "The share of calls without tokens", write: share },
    [SIGNAL_NAMES.truncation]: { what: "The share of answers cut by the token limit", write: share },
    [SPLIT]: { what: "The split", write: share },
  };
