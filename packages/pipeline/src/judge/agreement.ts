import {
  type Agreement,
  type ArmAgreement,
  type ComparedLabel,
  type JudgeScale,
  SCALE_RANGES,
} from "@assay/domain";
import { cohenKappa, type KappaWeights, sumOf } from "@assay/stats";

/** Number of randomly drawn labels that each arm needs before labels correct the judge (statistics §8). */
export const MIN_LABELS_PER_ARM = 50;

type Scored = Pick<ComparedLabel, "arm" | "judgeScore" | "score" | "isDrawn">;
type Pair = Pick<ComparedLabel, "judgeScore"> & { readonly score: number };

/** How scores are grouped into categories, and which categories are a pass. */
interface Categories {
  readonly names: readonly string[];
  readonly of: (score: number) => number;
  readonly weights: KappaWeights;
}

const PASS_OR_FAIL = ["fail", "pass"];

const CATEGORIES: Readonly<Record<JudgeScale, Categories>> = {
  pass_fail: { names: PASS_OR_FAIL, of: (score) => score, weights: "none" },
  "1-5": {
    names: SCALE_RANGES["1-5"].levels!.map(String),
    of: (score) => score - SCALE_RANGES["1-5"].min,
    weights: "quadratic",
  },
  "0-1": { names: PASS_OR_FAIL, of: (score) => (isPass("0-1", score) ? 1 : 0), weights: "none" },
};

/** The lowest passing score of each scale: pass, 4 of 5 ("good"), and half of 1. */
const PASS_FROM: Readonly<Record<JudgeScale, number>> = { pass_fail: 1, "1-5": 4, "0-1": 0.5 };

/** Returns whether a score of the scale says that the answer is good enough. */
export function isPass(scale: JudgeScale, score: number): boolean {
  return score >= PASS_FROM[scale];
}

/** Compares a judge with people on the calls that both scored, overall and per arm. Labels without a score do not count. */
export function agreement(labels: readonly Scored[], scale: JudgeScale): Agreement {
  const pairs = labels.flatMap(({ arm, judgeScore, score, isDrawn }) =>
    score === null ? [] : [{ arm, judgeScore, score, isDrawn }],
  );
  const byArm = Map.groupBy(
    pairs.toSorted((a, b) => (a.arm < b.arm ? -1 : a.arm > b.arm ? 1 : 0)),
    ({ arm }) => arm,
  );
  const ofArms = <T>(value: (own: typeof pairs) => T) =>
    Object.fromEntries([...byArm].map(([arm, own]) => [arm, value(own)]));
  return {
    categories: CATEGORIES[scale].names,
    drawnLabels: ofArms((own) => own.filter(({ isDrawn }) => isDrawn).length),
    overall: compare(pairs, scale),
    arms: ofArms((own) => compare(own, scale)),
  };
}

function compare(pairs: readonly Pair[], scale: JudgeScale): ArmAgreement {
  const { names, of, weights } = CATEGORIES[scale];
  const matrix = names.map(() => names.map(() => 0));
  for (const { judgeScore, score } of pairs) matrix[of(score)]![of(judgeScore)]! += 1;
  const kappa = cohenKappa(matrix, weights);
  const mean = (value: (pair: Pair) => number) =>
    pairs.length === 0 ? null : sumOf(pairs.map(value)) / pairs.length;
  const [failed, passed] = [
    pairs.filter(({ score }) => !isPass(scale, score)),
    pairs.filter(({ score }) => isPass(scale, score)),
  ];
  return {
    labels: pairs.length,
    kappa: kappa?.kappa ?? null,
    ciLow: kappa?.ciLow ?? null,
    ciHigh: kappa?.ciHigh ?? null,
    agreeing: sumOf(matrix.map((row, category) => row[category]!)),
    matrix,
    falsePasses: {
      count: failed.filter(({ judgeScore }) => isPass(scale, judgeScore)).length,
      of: failed.length,
    },
    falseFails: {
      count: passed.filter(({ judgeScore }) => !isPass(scale, judgeScore)).length,
      of: passed.length,
    },
    meanJudgeScore: mean(({ judgeScore }) => judgeScore),
    meanLabel: mean(({ score }) => score),
  };
}
