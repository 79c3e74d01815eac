import type { ComparedLabel, Judgement, Label } from "@assay/domain";
import type { JudgementSchema, LabelPage, LabelSchema } from "./schemas/judge.ts";
import type { ValueOf } from "./wire.ts";

/** Makes the answer of a judgement. */
export function judgementAnswer(judgement: Judgement): ValueOf<typeof JudgementSchema> {
  return { ...judgement, variant: judgement.arm, label: judgement.labelScore };
}

/** Makes the answer of a person's score of a call. */
export function labelAnswer(label: Label): ValueOf<typeof LabelSchema> {
  return { ...label, labelledBy: { id: label.labelledBy, name: label.labelledByName } };
}

/** Makes the answer of a label beside what the judge says. */
export function comparedLabelAnswer(label: ComparedLabel): ValueOf<typeof LabelPage>["items"][number] {
  return {
    ...labelAnswer(label),
    variant: label.arm,
    judgeScore: label.judgeScore,
    judgeReason: label.judgeReason,
  };
}
