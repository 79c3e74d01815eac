import type { Dataset } from "./queries.ts";

/** What the form holds. */
export interface RehearsalValues {
  /** Id of the experiment whose variants are the arms. */
  readonly experiment: string;
  /** Variants that take part; the first is control. */
  readonly variants: readonly string[];
  /** A further arm's prompt; empty: none. */
  readonly draft: string;
  /** The model of all arms; empty: what the variants' variables name. */
  readonly model: string;
  /** Id of a dataset; empty: inputs are drawn from the experiment's calls. */
  readonly dataset: string;
  readonly inputs: number;
  readonly rubric: string;
  readonly margin: number;
  readonly budgetUsd: number;
}

export const DRAFT_ARM = "draft";
const DAY_MS = 86_400_000;
/** How many days of calls to draw from, the most that a draw may use. */
export const DRAWN_DAYS = 31;

/** The most variants that are chosen from the start. */
const MOST_ARMS = 4;

/** What a person starts from, with the variants of an experiment, control first. */
export function startValues(experiment: string, variants: readonly string[]): RehearsalValues {
  return {
    experiment,
    variants: variants.slice(0, MOST_ARMS),
    draft: "",
    model: "",
    dataset: "",
    inputs: 200,
    rubric: "",
    margin: 0.1,
    budgetUsd: 5,
  };
}

/** The request that draws inputs from the days up to now (epoch milliseconds). */
export function drawBody({ experiment, inputs }: RehearsalValues, name: string, now: number) {
  return {
    name,
    from_experiment: {
      experiment_id: experiment,
      from: new Date(now - DRAWN_DAYS * DAY_MS).toISOString(),
      until: new Date(now).toISOString(),
      items: inputs,
    },
  };
}

/** The request that starts the rehearsal on a stored dataset. */
export function rehearsalBody(values: RehearsalValues, { id }: Pick<Dataset, "id">) {
  const { experiment, variants, draft, model, rubric, margin, budgetUsd } = values;
  const ofModel = model.trim() === "" ? {} : { model: model.trim() };
  const named = variants.map((variant) => ({
    name: variant,
    experiment_id: experiment,
    variant,
    ...ofModel,
  }));
  const drafts = draft.trim() === "" ? [] : [{ name: DRAFT_ARM, prompt: draft, ...ofModel }];
  return {
    dataset_id: id,
    arms: [...named, ...drafts],
    judge: { rubric },
    margin,
    budget_usd: budgetUsd,
  };
}

/** What is missing before it can start; null: nothing. */
export function missing({ variants, draft, model, rubric }: RehearsalValues): string | null {
  if (variants.length + (draft.trim() === "" ? 0 : 1) < 2)
    return "Choose two variants, or choose one and write the prompt of a draft.";
  if (draft.trim() !== "" && model.trim() === "") return "Name the model: a draft has none of its own.";
  return rubric.trim() === "" ? "Write what makes an answer better." : null;
}
