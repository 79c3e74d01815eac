import type { ComparedLabel, Judgement, Label } from "@assay/domain";
import type { JudgementSchema, LabelPage, LabelSchema } from "./schemas/judge.ts";
import type { ValueOf } from "./wire.ts";

/** Builds the response for a judgement. */
export function judgementAnswer(judgement: Judgement): ValueOf<typeof JudgementSchema> {
  return { ...judgement, variant: judgement.arm, label: judgement.labelScore };
}

/** Builds the response for a person's score of a call. */
export function labelAnswer(label: Label): ValueOf<typeof LabelSchema> {
  return { ...label, labelledBy: { id: label.labelledBy, name: label.labelledByName } };
}

/** Builds the response for a label with the judge's score and reason. */
export function comparedLabelAnswer(label: ComparedLabel): ValueOf<typeof LabelPage>["items"][number] {
  return {
    ...labelAnswer(label),
    variant: label.arm,
    judgeScore: label.judgeScore,
    judgeReason: label.judgeReason,
  };
}
