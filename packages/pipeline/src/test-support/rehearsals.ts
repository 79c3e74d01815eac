import type {
  AnswerScore,
  JudgeScale,
  PairJudgement,
  PairPick,
  Preference,
  RehearsalAnswer,
  RehearsalFacts,
  RehearsalJudgeMode,
} from "@assay/domain";

export interface Rehearsed {
  readonly inputs: number;
  readonly repeats?: number;
  readonly treatments?: readonly string[];
  readonly mode?: RehearsalJudgeMode;
  readonly scale?: JudgeScale;
  readonly margin?: number;
  /** Inputs of each user. */
  readonly perUser?: number;
  readonly probability?: (input: number) => number;
}

/** What happens to an input. By default, both arms answer alike and the judge calls a tie. */
export interface Outcome {
  readonly control?: Partial<RehearsalAnswer>;
  readonly treatment?: Partial<RehearsalAnswer>;
  /** The judgement with control's answer first, and with the treatment's; null: not judged yet. */
  readonly preferences?: readonly [Preference | null, Preference | null];
  readonly scores?: readonly [control: number | null, treatment: number | null];
  readonly pick?: Preference;
  readonly isUnjudged?: boolean;
  /** Whether the answers are equal, so that no judgement was needed. */
  readonly isSame?: boolean;
  /** Whether nothing was answered yet. */
  readonly isOpen?: boolean;
}

const ANSWER = {
  ...{ hasFailed: false, latencyMs: 100, inputTokens: 10, outputTokens: 20, costUsd: 0.01, length: 80 },
};
export const FAILED = {
  ...{ hasFailed: true, latencyMs: null, inputTokens: null, outputTokens: null, costUsd: null, length: null },
};

/** Makes the facts of a rehearsal whose first arm is `old`. Control's answer is that of the first treatment's outcome. */
export function rehearsalOf(
  { inputs, repeats = 1, treatments = ["new"], mode = "pairwise", ...own }: Rehearsed,
  outcomeOf: (input: number, treatment: number, repeat: number) => Outcome = () => ({}),
): RehearsalFacts {
  const answers: RehearsalAnswer[] = [];
  const judgements: PairJudgement[] = [];
  const scores: AnswerScore[] = [];
  const picks: PairPick[] = [];
  const same: NonNullable<RehearsalFacts["same"]>[number][] = [];
  const unjudged: NonNullable<RehearsalFacts["unjudged"]>[number][] = [];
  for (let input = 0; input < inputs; input++)
    for (const [index, treatment] of treatments.entries())
      for (let repeat = 0; repeat < repeats; repeat++) {
        const outcome = outcomeOf(input, index, repeat);
        if (outcome.isOpen) continue;
        const place = { itemId: `input-${input}`, repeat };
        const { preferences = ["tie", "tie"], scores: ofArms = [3, 3] } = outcome;
        const control = { ...ANSWER, ...outcome.control, ...place, arm: "old" };
        const answer = { ...ANSWER, ...outcome.treatment, ...place, arm: treatment };
        if (index === 0) answers.push(control);
        answers.push(answer);
        if (outcome.pick !== undefined) picks.push({ ...place, treatment, preference: outcome.pick });
        if (outcome.isSame) same.push({ ...place, arm: treatment });
        if (outcome.isUnjudged) unjudged.push({ ...place, arm: treatment });
        if (mode === "score")
          for (const [side, { arm, hasFailed }] of [control, answer].entries()) {
            const score = ofArms[side];
            const isNew = arm !== "old" || index === 0;
            if (score != null && !hasFailed && isNew) scores.push({ ...place, arm, score });
          }
        else if (!(control.hasFailed || answer.hasFailed))
          for (const [order, first] of (["control", "treatment"] as const).entries()) {
            const preference = preferences[order];
            if (preference != null) judgements.push({ ...place, treatment, first, preference });
          }
      }
  const arms = ["old", ...treatments].map((name) => ({ name, prompt: null, model: "m", parameters: {} }));
  const { margin = 0.1, scale = "1-5", perUser = 1, probability = () => 1 } = own;
  return {
    plan: {
      ...{ datasetId: "d", arms, repeats, margin, budgetUsd: 1 },
      judge: { rubric: "r", mode, scale },
    },
    items: Array.from({ length: inputs }, (_, input) => ({
      id: `input-${input}`,
      cluster: Math.floor(input / perUser),
      probability: probability(input),
    })),
    answers,
    judgements,
    scores,
    picks,
    same,
    unjudged,
  };
}
