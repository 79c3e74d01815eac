import { SCALE_RANGES } from "../judge/judge.ts";
import type { Rehearsal, RehearsalInput, RehearsalPick, RehearsalRecord } from "../ports/rehearsals.ts";
import type { AnswerScore, PairJudgement, RehearsalAnswer, RehearsalFacts } from "./rehearsal.ts";

interface Known {
  /** By place, like the records. */
  readonly inputs: readonly RehearsalInput[];
  readonly records: readonly RehearsalRecord[];
  readonly picks: readonly RehearsalPick[];
}

/** Gathers the facts that the analysis reads. */
export function rehearsalFacts(
  { plan }: Pick<Rehearsal, "plan">,
  { inputs, records, picks }: Known,
): RehearsalFacts {
  const itemIds = new Map(inputs.map(({ place, itemId }) => [place, itemId]));
  const name = <T extends { readonly place: number }>(things: readonly T[]) =>
    things.flatMap((thing) => {
      const itemId = itemIds.get(thing.place);
      return itemId === undefined ? [] : [{ ...thing, itemId }];
    });
  const named = name(records);
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
    picks: name(picks).map(({ itemId, arm, repeat, preference }) => {
      return { itemId, treatment: armOf(arm), repeat, preference };
    }),
    same: pairsOf(named.filter(isUnasked), armOf),
    unjudged: pairsOf(named.filter(isUnjudged), armOf),
  };
}

interface Context {
  readonly armOf: (arm: number) => string;
  readonly plan: Rehearsal["plan"];
}

type Named = RehearsalRecord & { readonly itemId: string };

const isUnasked = ({ kind, state, attempts }: Named) =>
  kind === "judgement" && state === "done" && attempts === 0;
const isUnjudged = ({ kind, state }: Named) => kind !== "answer" && state === "failed";

/** Lists the pairs of these judgements, each once although it is judged in both orders. */
function pairsOf(judgements: readonly Named[], armOf: Context["armOf"]) {
  const each = judgements.map(({ itemId, arm, repeat }) => ({ itemId, arm: armOf(arm), repeat }));
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

/** Lists the inputs with their users as numbers. An input without a known user gets a number of its own. */
function itemsOf(inputs: readonly RehearsalInput[]): RehearsalFacts["items"] {
  const clusters = new Map<string, number>();
  return inputs.map(({ itemId, userId, probability }, place) => {
    const cluster = (userId === null ? undefined : clusters.get(userId)) ?? place;
    if (userId !== null) clusters.set(userId, cluster);
    return { id: itemId, cluster, probability };
  });
}
