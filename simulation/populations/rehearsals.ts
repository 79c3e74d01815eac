import type {
  PairJudgement,
  PairPick,
  Preference,
  RehearsalAnswer,
  RehearsalFacts,
  RehearsalPlan,
} from "@assay/domain";
import { normalCdf } from "@assay/stats";
import type { Draw } from "../random/draw.ts";

/** Rehearsals whose truth is known. Defaults: one user per input, one repeat, one treatment, equal probabilities, no effect. */
export interface Rehearsed {
  readonly inputs: number;
  readonly repeats?: number;
  readonly treatments?: number;
  /** Whether a few users have most of the inputs, and react to the treatment alike. */
  readonly isHeavy?: boolean;
  /** Whether inputs on which the treatment is better are drawn five times as often as those on which it is worse. */
  readonly isUnequal?: boolean;
  /** Added to how much better the treatment's answer is. */
  readonly effect?: number;
  /** Added to this difference by the judge only. */
  readonly judgeBias?: number;
  /** How often the judge takes the first answer, whatever it says. */
  readonly orderBias?: number;
  /** A smaller difference is a tie. */
  readonly tie?: number;
  /** How many pairs a person picks from: the first ones, whose order is random. */
  readonly picks?: number;
  readonly margin?: number;
}

/** Standard deviations of the difference between two answers: between inputs, between repeats, and from the judge or person. */
const SD = { input: 0.7, repeat: 0.7, judge: 0.5, person: 0.5 } as const;
/** The share of the variance between inputs that lies between users, if users have several inputs. */
const USER_SHARE = 0.5;
/** How much better or worse the treatment is for the two kinds of inputs that are drawn unequally. */
const KIND_EFFECT = 0.5;
const RARE_PROBABILITY = 0.2;
/** Parameters of the lognormal with which heavy users have 1 + ⌊lognormal⌋ inputs. */
const HEAVY = { mean: 0.8, sd: 0.9 } as const;

const TOTAL_SD = Math.hypot(SD.input, SD.repeat, SD.person);

/** Computes people's mean preference over all inputs: the truth. */
export function truePreference({ effect = 0, tie = 0.3, isUnequal = false }: Rehearsed): number {
  const ofMean = (mean: number) => normalCdf((mean - tie) / TOTAL_SD) - normalCdf((-mean - tie) / TOTAL_SD);
  return isUnequal ? (ofMean(effect + KIND_EFFECT) + ofMean(effect - KIND_EFFECT)) / 2 : ofMean(effect);
}

/** Draws a finished pairwise rehearsal. */
export function drawRehearsal(draw: Draw, rehearsed: Rehearsed): RehearsalFacts {
  const { repeats = 1, treatments = 1, margin = 0.1, picks = 0, tie = 0.3 } = rehearsed;
  const arms = Array.from({ length: treatments + 1 }, (_, arm) => `arm-${arm}`);
  const items = drawItems(draw, rehearsed);
  const answers: RehearsalAnswer[] = [];
  const judgements: PairJudgement[] = [];
  const picked: PairPick[] = [];
  const levels = new Map<string, number>();
  const levelOf = (key: string) => {
    const known = levels.get(key) ?? draw.normal();
    levels.set(key, known);
    return known;
  };
  for (const { id: itemId, cluster, probability } of items) {
    const kind = rehearsed.isUnequal ? (probability === 1 ? KIND_EFFECT : -KIND_EFFECT) : 0;
    for (const [arm, name] of arms.entries()) {
      const ofUser = rehearsed.isHeavy ? Math.sqrt(USER_SHARE) * levelOf(`${cluster}/${arm}`) : 0;
      const own = rehearsed.isHeavy ? Math.sqrt(1 - USER_SHARE) : 1;
      const ofInput = kind + (rehearsed.effect ?? 0) + SD.input * (ofUser + own * draw.normal());
      for (let repeat = 0; repeat < repeats; repeat++) {
        answers.push(drawAnswer(draw, { itemId, arm: name, repeat }));
        if (arm === 0) continue;
        const better = ofInput + SD.repeat * draw.normal();
        for (const first of ["control", "treatment"] as const) {
          const seen = better + (rehearsed.judgeBias ?? 0) + SD.judge * draw.normal();
          const preference = draw.chance(rehearsed.orderBias ?? 0) ? first : preferenceOf(seen, tie);
          judgements.push({ itemId, treatment: name, repeat, first, preference });
        }
        if (picked.length < picks) {
          const preference = preferenceOf(better + SD.person * draw.normal(), tie);
          picked.push({ itemId, treatment: name, repeat, preference });
        }
      }
    }
  }
  return { plan: planOf(arms, { repeats, margin }), items, answers, judgements, scores: [], picks: picked };
}

/** The plan of a rehearsal, by names of arms; only what the analysis reads matters. */
export function planOf(
  names: readonly string[],
  own: Pick<RehearsalPlan, "margin"> & Partial<RehearsalPlan>,
): RehearsalPlan {
  return {
    datasetId: "dataset",
    arms: names.map((name) => ({ name, prompt: null, model: "model", parameters: {} })),
    repeats: 1,
    judge: { rubric: "rubric", mode: "pairwise", scale: "0-1" },
    budgetUsd: 1,
    ...own,
  };
}

/** What a rehearsal knows after its first inputs. */
export function firstInputs(facts: RehearsalFacts, count: number): RehearsalFacts {
  const ids = new Set(facts.items.slice(0, count).map(({ id }) => id));
  const isIn = ({ itemId }: { readonly itemId: string }) => ids.has(itemId);
  return {
    ...facts,
    answers: facts.answers.filter(isIn),
    judgements: facts.judgements.filter(isIn),
    scores: facts.scores.filter(isIn),
    picks: facts.picks.filter(isIn),
  };
}

function preferenceOf(better: number, tie: number): Preference {
  if (Math.abs(better) < tie) return "tie";
  return better > 0 ? "treatment" : "control";
}

type AnswerPlace = Pick<RehearsalAnswer, "itemId" | "arm" | "repeat">;

function drawAnswer({ normal }: Draw, place: AnswerPlace): RehearsalAnswer {
  return answerOf(place, Math.round(Math.exp(6 + 0.5 * normal())));
}

/** Makes an answer with this many characters, from which its latency and cost follow. */
export function answerOf(place: AnswerPlace, length: number): RehearsalAnswer {
  const outputTokens = Math.ceil(length / 4);
  const latencyMs = 300 + 20 * outputTokens;
  return {
    ...place,
    hasFailed: false,
    ...{ latencyMs, inputTokens: 50, outputTokens, costUsd: outputTokens * 1e-6, length },
  };
}

/** Draws the inputs with their users, in random order. */
function drawItems(draw: Draw, { inputs, isHeavy, isUnequal }: Rehearsed): RehearsalFacts["items"] {
  const users: number[] = [];
  for (let user = 0; users.length < inputs; user++) {
    const own = isHeavy ? 1 + Math.floor(Math.exp(HEAVY.mean + HEAVY.sd * draw.normal())) : 1;
    for (let input = 0; input < own && users.length < inputs; input++) users.push(user);
  }
  for (let last = inputs - 1; last > 0; last--) {
    const other = draw.below(last + 1);
    [users[last], users[other]] = [users[other]!, users[last]!];
  }
  const rare = RARE_PROBABILITY / (1 + RARE_PROBABILITY);
  return users.map((cluster, id) => ({
    id: String(id),
    cluster,
    probability: isUnequal && draw.chance(rare) ? RARE_PROBABILITY : 1,
  }));
}
