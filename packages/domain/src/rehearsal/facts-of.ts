import { SCALE_RANGES } from "../judge/judge.ts";
import type { Rehearsal, RehearsalInput, RehearsalRecord } from "../ports/rehearsals.ts";
import type { AnswerScore, PairJudgement, RehearsalAnswer, RehearsalFacts } from "./rehearsal.ts";

/** Gathers what the analysis reads. Both lists are in the order of the places. */
export function rehearsalFacts(
  { plan }: Pick<Rehearsal, "plan">,
  inputs: readonly RehearsalInput[],
  records: readonly RehearsalRecord[],
): RehearsalFacts {
  const itemIds = new Map(inputs.map(({ place, itemId }) => [place, itemId]));
  const named = records.flatMap((record) => {
    const itemId = itemIds.get(record.place);
    return itemId === undefined ? [] : [{ ...record, itemId }];
  });
  const armOf = (arm: number) => plan.arms[arm]?.name ?? "";
  const answers = named.filter(({ kind }) => kind === "answer");
  return {
    plan,
    items: itemsOf(inputs),
    answers: answers.map((record): RehearsalAnswer => {
      const { itemId, arm, repeat, state, latencyMs, inputTokens, outputTokens, costUsd, length } = record;
      const known = { latencyMs, inputTokens, outputTokens, costUsd, length };
      return { itemId, arm: armOf(arm), repeat, hasFailed: state === "failed", ...known };
    }),
    judgements: named.flatMap(({ itemId, arm, repeat, first, preference }): PairJudgement[] =>
      first === null || preference === null
        ? []
        : [{ itemId, treatment: armOf(arm), repeat, first, preference }],
    ),
    scores: plan.judge.mode === "score" ? scoresOf(named, { armOf, plan }) : [],
    picks: [],
    unjudged: unjudgedOf(named, armOf),
  };
}

interface Context {
  readonly armOf: (arm: number) => string;
  readonly plan: Rehearsal["plan"];
}

type Named = RehearsalRecord & { readonly itemId: string };

/** What the judge failed to judge; a pair counts once, whichever of its orders failed. */
function unjudgedOf(records: readonly Named[], armOf: Context["armOf"]): RehearsalFacts["unjudged"] {
  const failed = records.filter(({ kind, state }) => kind !== "answer" && state === "failed");
  const each = failed.map(({ itemId, arm, repeat }) => ({ itemId, arm: armOf(arm), repeat }));
  return [...new Map(each.map((one) => [JSON.stringify(one), one])).values()];
}

/** A failed answer has the smallest score, because leaving it out would flatter the arm that fails more often. */
function scoresOf(records: readonly Named[], { armOf, plan }: Context): readonly AnswerScore[] {
  const { min } = SCALE_RANGES[plan.judge.scale];
  return records.flatMap(({ kind, state, itemId, arm, repeat, score }) => {
    if (kind === "answer" && state === "failed") return [{ itemId, arm: armOf(arm), repeat, score: min }];
    return score === null ? [] : [{ itemId, arm: armOf(arm), repeat, score }];
  });
}

/** Numbers the users: an input without a known one has a number of its own. */
function itemsOf(inputs: readonly RehearsalInput[]): RehearsalFacts["items"] {
  const clusters = new Map<string, number>();
  return inputs.map(({ itemId, userId, probability }, place) => {
    const cluster = (userId === null ? undefined : clusters.get(userId)) ?? place;
    if (userId !== null) clusters.set(userId, cluster);
    return { id: itemId, cluster, probability };
  });
}
