import type { Draw } from "../random/draw.ts";
import type { Place } from "./design.ts";
import type { Population } from "./population.ts";

/** A judged call, with the label that a person would give. */
export interface JudgedCall {
  /** 1 / probability of the call's draw. */
  readonly weight: number;
  readonly score: number;
  readonly label: number;
}

/** The judged calls of users. Differences are treatment minus control. */
export interface JudgedPopulation extends Population<readonly JudgedCall[]> {
  /** Difference of the mean label over all calls, judged or not: the truth. */
  readonly effect: number;
  /** Difference of the mean score: the judge's view. */
  readonly judgedEffect: number;
}

export interface JudgedArms {
  readonly effect?: number;
  /** Added to the treatment's scores, or to the judge's probability of passing a good answer. */
  readonly bias?: number;
}

/** Standard deviations of an answer's quality, and of a person's label and a judge's score around it. */
export const GRADES = { quality: 0.15, person: 0.1, judge: 0.05 } as const;
const TYPICAL = 0.6;

/**
 * Draws users with one call each, graded around 0.6 on a scale of 0 to 1 without truncation at its ends. The second
 * period's answers are better by `drift`.
 */
export function gradedUsers({ effect = 0, bias = 0 }: JudgedArms = {}, drift = 0): JudgedPopulation {
  const user = (draw: Draw, { arm, period }: Place) => {
    const quality = TYPICAL + drift * period + effect * arm + GRADES.quality * draw.normal();
    return [grade(draw, { quality, bias: bias * arm, weight: 1 })];
  };
  const name = drift === 0 ? "grades 0 to 1" : `grades, ${drift} better later`;
  return { name, user, effect, judgedEffect: effect + bias };
}

/** Shares of good answers, and of answers that the judge passes among the good and among the bad. */
export const PASSES = { good: 0.7, ofGood: 0.9, ofBad: 0.2 } as const;

/** Draws users with one call each that is good or bad; people know which, and a judge errs. */
export function passingUsers({ effect = 0, bias = 0 }: JudgedArms = {}): JudgedPopulation {
  const { good, ofGood, ofBad } = PASSES;
  const user = ({ chance }: Draw, { arm }: Place) => {
    const isGood = chance(good + effect * arm);
    const score = Number(chance(isGood ? ofGood + bias * arm : ofBad));
    return [{ weight: 1, score, label: Number(isGood) }];
  };
  const judgedEffect = (ofGood - ofBad) * effect + bias * (good + effect);
  return { name: "pass or fail", user, effect, judgedEffect };
}

/** Calls per active day, and the shares of users with each number. */
const HABITS = [
  { calls: 1, share: 0.5 },
  { calls: 2, share: 0.25 },
  { calls: 4, share: 0.15 },
  { calls: 8, share: 0.1 },
] as const;
const CALLS_OF_HEAVY = 4;
/** How much worse the answers of heavy users are. */
const HEAVY_GAP = 0.1;
/** Standard deviation of the quality between users. The rest is between the calls of a user. */
const USER_SD = 0.1;
const CALL_SD = Math.sqrt(GRADES.quality ** 2 - USER_SD ** 2);

/**
 * Draws users who are active on one to three days with 1, 2, 4 or 8 calls each. One call of a day is judged, two on
 * every second day with several calls, so a call's probability falls with the user's activity. Heavy users get worse
 * answers, and only theirs are better by `effect` in the treatment, so the mean over calls needs the weights.
 */
export function busyUsers({ effect = 0, bias = 0 }: JudgedArms = {}): JudgedPopulation {
  const user = (draw: Draw, { arm }: Place) => {
    const calls = drawHabit(draw);
    const isHeavy = calls >= CALLS_OF_HEAVY;
    const level = TYPICAL + (isHeavy ? effect * arm - HEAVY_GAP : 0) + USER_SD * draw.normal();
    const days = Array.from({ length: 1 + draw.below(3) }, () => judgedOf(draw, calls));
    return days.flat().map((weight) => {
      const quality = level + CALL_SD * draw.normal();
      return grade(draw, { quality, bias: bias * arm, weight });
    });
  };
  const ofCalls = effect * shareOfHeavyCalls();
  return { name: "grades, several calls per user", user, effect: ofCalls, judgedEffect: ofCalls + bias };
}

function grade(
  { normal }: Draw,
  { quality, bias, weight }: { quality: number; bias: number; weight: number },
): JudgedCall {
  return {
    weight,
    score: quality + bias + GRADES.judge * normal(),
    label: quality + GRADES.person * normal(),
  };
}

/** Lists the weights of a day's judged calls: number of calls ÷ average number of judged calls. */
function judgedOf({ chance }: Draw, calls: number): readonly number[] {
  if (calls === 1) return [1];
  return new Array<number>(chance(0.5) ? 2 : 1).fill(calls / 1.5);
}

function drawHabit({ uniform }: Draw): number {
  let rest = uniform();
  const habit = HABITS.find(({ share }) => {
    rest -= share;
    return rest < 0;
  });
  return (habit ?? HABITS[3]).calls;
}

function shareOfHeavyCalls(): number {
  const callsFrom = (least: number) =>
    HABITS.reduce((sum, { calls, share }) => sum + (calls >= least ? calls * share : 0), 0);
  return callsFrom(CALLS_OF_HEAVY) / callsFrom(1);
}
