import type { Experiment } from "../experiment/config.ts";
import type { SmallerUnit } from "../experiment/unit.ts";
import type { UsageMonth } from "../metering/usage-month.ts";
import type { DecisionState } from "../results/decision-status.ts";
import type { Day } from "../time/day.ts";

/** The kinds of alerts that a channel can take. `test` is apart: only a person sends it. */
export const ALERT_TYPES = [
  "experiment.ready",
  "experiment.srm",
  "experiment.health_critical",
  "experiment.no_traffic",
  "experiment.held",
  "experiment.resumed",
  "experiment.stage",
  "judge.down",
  "usage.80",
  "usage.100",
  "key.unusual",
] as const;
export type AlertType = (typeof ALERT_TYPES)[number];

/** The decision states that end an experiment: the plan has decided, or an alarm says to stop. */
export const VERDICTS = [
  "ready-to-decide",
  "no-difference",
  "mixed",
  "losing",
  "guardrail-failing",
] as const satisfies readonly DecisionState[];
export type AlertedVerdict = (typeof VERDICTS)[number];

export interface AlertedExperiment {
  readonly id: string;
  readonly name: string;
  /** What it assigns and counts; absent: users. */
  readonly unit?: SmallerUnit;
}

/** Returns what a message says about its experiment. */
export function alertedOf({ id, config }: Pick<Experiment, "id" | "config">): AlertedExperiment {
  const { name, unit } = config;
  return { id, name, ...(unit !== "user" && { unit }) };
}

interface OfExperiment {
  readonly experiment: AlertedExperiment;
}

interface UsageReached {
  readonly month: UsageMonth;
  readonly events: number;
  readonly allowance: number;
}

/** What each type of alert says. */
export interface AlertData {
  readonly "experiment.ready": OfExperiment & {
    readonly day: Day;
    readonly state: AlertedVerdict;
    /** The treatment that the state is about; null: all of them. */
    readonly treatment: string | null;
  };
  readonly "experiment.srm": OfExperiment & { readonly day: Day; readonly pValue: number };
  readonly "experiment.health_critical": OfExperiment & {
    readonly day: Day;
    /** The code of the remark in the run's `health`. */
    readonly code: string;
    readonly detail: string;
  };
  readonly "experiment.no_traffic": OfExperiment & { readonly lastExposureOn: Day };
  readonly "experiment.held": OfExperiment & { readonly reason: string };
  readonly "experiment.resumed": OfExperiment & { readonly reason: string };
  readonly "experiment.stage": OfExperiment & {
    /** From 1. */
    readonly stage: number;
    readonly stages: number;
    /** The share of the units that it reaches, 0 to 1. */
    readonly share: number;
  };
  readonly "judge.down": {
    readonly model: string;
    readonly detail: string;
    /** Epoch milliseconds. */
    readonly since: number;
  };
  readonly "usage.80": UsageReached;
  readonly "usage.100": UsageReached;
  readonly "key.unusual": { readonly day: Day; readonly events: number; readonly limit: number };
  readonly test: { readonly channel: string };
}

/** A type with its data, as it is sent; `at` is when the fact was found, epoch milliseconds. */
export type AlertMessage = {
  [Type in keyof AlertData]: { readonly type: Type; readonly at: number; readonly data: AlertData[Type] };
}[keyof AlertData];

/** An alert to raise: a message about a fact. */
export type Alert = Extract<AlertMessage, { readonly type: AlertType }> & {
  readonly orgId: string;
  /** Identifies the fact within the org and type. While a fact with this key holds, it is not raised again. */
  readonly key: string;
};

/** Returns the experiment that a message is about, or null. */
export function experimentOf({ data }: Pick<AlertMessage, "data">): AlertedExperiment | null {
  return "experiment" in data ? data.experiment : null;
}
