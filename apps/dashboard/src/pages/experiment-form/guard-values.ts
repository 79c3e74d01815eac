import type { Experiment } from "../../api/types.ts";
import { type RolloutValues, stagesOf } from "./rollout-values.ts";

type WireGuard = NonNullable<Experiment["guard"]>;
export type GuardSignal = keyof WireGuard;

/** A guard as the form holds it. */
export interface GuardValues {
  /** Null: as the service does by default, which guards rollouts alone. */
  isOn: boolean | null;
  /** The largest acceptable harm of each signal as a share; null: not watched. */
  harms: Record<GuardSignal, number | null>;
}

/** The form's signals, with the service's defaults and the largest harm that it accepts. */
export const GUARD_FIELDS: readonly {
  readonly signal: GuardSignal;
  readonly label: string;
  readonly usual: number;
  readonly most: number;
}[] = [
  { signal: "error_rate", label: "Failed calls: increase in percentage points", usual: 0.01, most: 1 },
  { signal: "latency", label: "Mean latency: increase over control", usual: 0.2, most: 100 },
  { signal: "cost_per_call", label: "Cost of a call: increase over control", usual: 0.2, most: 100 },
  {
    signal: "cost_per_user",
    label: "Cost for the same number of users: increase over control",
    usual: 0.2,
    most: 100,
  },
  {
    signal: "missing_usage",
    label: "Calls without tokens: increase in percentage points",
    usual: 0.05,
    most: 1,
  },
  {
    signal: "truncation",
    label: "Answers cut by the token limit: increase in percentage points",
    usual: 0.02,
    most: 1,
  },
];

/** Returns the form's values for a stored guard. Without an argument, returns those of a new experiment. */
export function guardValues(guard?: Experiment["guard"]): GuardValues {
  const harms = GUARD_FIELDS.map(({ signal, usual }) => [signal, guard ? (guard[signal] ?? null) : usual]);
  return {
    isOn: guard === undefined ? null : guard !== null,
    harms: Object.fromEntries(harms) as GuardValues["harms"],
  };
}

/** Whether the experiment will have a guard. A draft from an earlier version of this page lacks these values. */
export function isGuarded({
  guard,
  flagKey = "",
  rolloutStages = "",
}: Partial<RolloutValues> & { readonly guard?: GuardValues; readonly flagKey?: string }): boolean {
  if (flagKey.trim() !== "") return false;
  return guard?.isOn ?? stagesOf({ rolloutStages }).length > 0;
}

/** Returns the guard to send; null: none. */
export function toGuard(values: Parameters<typeof isGuarded>[0]): WireGuard | null {
  return isGuarded(values) ? { ...(values.guard ?? guardValues()).harms } : null;
}
