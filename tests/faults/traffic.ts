import { metricBody } from "../../apps/server/src/test-support/experiments.ts";

/** A row as a sender writes it. */
export type Row = Readonly<Record<string, unknown>>;

/** A user who takes part. */
export interface Person {
  readonly id: string;
  /** The variant that `assign` gives, or that the other system gave. */
  readonly arm: string;
  /** Counted from 0 within the arm: it decides what the user does, so that each experiment has the same numbers. */
  readonly index: number;
}

/** What the users of an experiment do, the metrics that read it, and what is true of treatment. */
export interface Habit {
  readonly metrics: readonly Row[];
  readonly truth: "better" | "no difference";
  /** What a user does a minute after the exposure; rows without ids, instant and variant. */
  readonly act: (person: Person) => readonly Row[];
}

/** Users per arm. */
export const USERS = 300;

const bought = metricBody("bought", { kind: "binary", role: "primary" });
/** The first `share` of each hundred users of an arm buys. */
const buyer = (share: Readonly<Record<string, number>>) => (person: Person) =>
  person.index % 100 < (share[person.arm] ?? 0) ? [purchase()] : [];

/** A purchase. */
export const purchase = (change: Row = {}): Row => ({
  type: "business_event",
  business_metric: "bought",
  ...change,
});

/** A completed call of the configured model. */
export const modelCall = ({ arm, index }: Pick<Person, "arm" | "index">, change: Row = {}): Row => ({
  type: "model_call",
  model: "gpt-4o",
  input_tokens: (arm === "treatment" ? 700 : 900) + 8 * (index % 50),
  output_tokens: 100,
  finish_reason: "stop",
  ...change,
});

/** Treatment sells to 55 % of its users and control to 40 %. */
export const sells: Habit = {
  metrics: [bought],
  truth: "better",
  act: buyer({ control: 40, treatment: 55 }),
};

/** Both arms sell to about 40 %. */
export const sellsAlike: Habit = {
  metrics: [bought],
  truth: "no difference",
  act: buyer({ control: 40, treatment: 41 }),
};

/** Every user makes one call; treatment's prompt is shorter, and so cheaper. */
export const calls: Habit = {
  metrics: [
    metricBody("cost", { kind: "ratio", category: "cost", method_default: "ratio_delta", role: "primary" }),
    metricBody("tokens", {
      ...{ kind: "ratio", category: "cost", method_default: "ratio_delta" },
      source: { event: "model_call", field: "input_tokens" },
      desired: "decrease",
    }),
  ],
  truth: "better",
  act: (person) => [modelCall(person)],
};

/** Every user orders 17 times, in treatment for a little more. */
export const orders: Habit = {
  metrics: [metricBody("spent", { kind: "mean", method_default: "welch_t", role: "primary", cap: 600 })],
  truth: "better",
  act: ({ arm, index }) =>
    Array.from({ length: 17 }, () => ({
      ...{ type: "business_event", business_metric: "spent" },
      value: 10 + (index % 20) + (arm === "treatment" ? 2 : 0),
    })),
};
