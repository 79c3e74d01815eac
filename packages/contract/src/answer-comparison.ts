import {
  type AnsweredCall,
  type ComparedCall,
  type Comparison,
  isSameQuestion,
  type Judgement,
  type MetricDefinition,
} from "@assay/domain";
import { callScore } from "./answer-stored-event.ts";
import type { Comparisons } from "./schemas/comparisons.ts";
import type { ValueOf } from "./wire.ts";

/** Builds the response for a comparison. It looks up the calls' judge scores and labels by event id. */
export function comparedAnswer(
  { answers, ...comparison }: Comparison<ComparedCall & AnsweredCall>,
  judgements: ReadonlyMap<string, readonly Judgement[]>,
  metrics: readonly MetricDefinition[],
): ValueOf<typeof Comparisons>["items"][number] {
  return {
    ...comparison,
    answers: answers.map(({ call, likeness }) => ({
      ...call,
      question: isSameQuestion(call.question, comparison.question) ? null : call.question,
      likeness,
      scores: (judgements.get(call.eventId) ?? []).map((judgement) => ({
        ...callScore(judgement, metrics),
        reason: judgement.reason,
      })),
    })),
  };
}
