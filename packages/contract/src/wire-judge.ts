import {
  type Agreement,
  type ArmAgreement,
  type ComparedLabel,
  type Judgement,
  type Label,
  toInstant,
} from "@assay/domain";
import type { Static } from "typebox";
import type { JudgementSchema, LabelPage, LabelSchema, Agreement as WireAgreement } from "./schemas/judge.ts";

/** Writes a judgement as the wire has it. */
export function toWireJudgement(judgement: Judgement): Static<typeof JudgementSchema> {
  return {
    event_id: judgement.eventId,
    metric: judgement.metric,
    metric_version: judgement.metricVersion,
    is_repeat: judgement.isRepeat,
    judge_version: judgement.judgeVersion,
    user_id: judgement.userId,
    variant: judgement.arm,
    occurred_at: toInstant(judgement.occurredAt),
    probability: judgement.probability,
    state: judgement.state,
    score: judgement.score,
    reason: judgement.reason,
    cause: judgement.cause,
    detail: judgement.detail,
    attempts: judgement.attempts,
    input_tokens: judgement.inputTokens,
    output_tokens: judgement.outputTokens,
    cost_usd: judgement.costUsd,
    judged_at: judgement.judgedAt === null ? null : toInstant(judgement.judgedAt),
    label: judgement.labelScore,
  };
}

/** Writes a person's score of a call as the wire has it. */
export function toWireLabel(label: Label): Static<typeof LabelSchema> {
  return {
    event_id: label.eventId,
    metric: label.metric,
    metric_version: label.metricVersion,
    score: label.score,
    note: label.note,
    labelled_by: { id: label.labelledBy, name: label.labelledByName },
    labelled_at: toInstant(label.labelledAt),
    is_drawn: label.isDrawn,
  };
}

/** Writes a label beside what the judge said as the wire has it. */
export function toWireComparedLabel(label: ComparedLabel): Static<typeof LabelPage>["items"][number] {
  const { arm, judgeScore, judgeReason } = label;
  return { ...toWireLabel(label), variant: arm, judge_score: judgeScore, judge_reason: judgeReason };
}

/** Which judge an agreement is about, and how many labels of each arm calibrate it. */
export interface AgreementOf {
  readonly metric: string;
  readonly metricVersion: number;
  readonly judgeVersion: string | null;
  readonly needed: number;
}

/** Writes how far a judge agrees with people as the wire has it. */
export function toWireAgreement(
  { categories, drawnLabels, overall, arms }: Agreement,
  { metric, metricVersion, judgeVersion, needed }: AgreementOf,
): Static<typeof WireAgreement> {
  return {
    metric,
    metric_version: metricVersion,
    judge_version: judgeVersion,
    categories: [...categories],
    needed,
    drawn_labels: { ...drawnLabels },
    overall: toWireArm(overall),
    arms: Object.fromEntries(Object.entries(arms).map(([arm, agreement]) => [arm, toWireArm(agreement)])),
  };
}

/** Writes kappa with its interval as the wire has it. */
export function toWireKappa({ labels, kappa, ciLow, ciHigh }: ArmAgreement) {
  return { labels, kappa, ci_low: ciLow, ci_high: ciHigh };
}

function toWireArm(arm: ArmAgreement): Static<typeof WireAgreement>["overall"] {
  return {
    ...toWireKappa(arm),
    agreeing: arm.agreeing,
    matrix: arm.matrix.map((row) => [...row]),
    false_passes: { ...arm.falsePasses },
    false_fails: { ...arm.falseFails },
    mean_judge_score: arm.meanJudgeScore,
    mean_label: arm.meanLabel,
  };
}
