import type { Draw } from "../random/draw.ts";
import type { Place } from "./design.ts";
import type { Population } from "./population.ts";

/** Values per user whose treatment mean is `effect` above that of control. */
export interface PerUserPopulation extends Population<number> {
  /** The control arm in the first period. */
  readonly mean: number;
  readonly effect: number;
}

const REVENUE_SHARE = 0.04;
/** Parameters of the buyers' lognormal amounts, natural logarithm. */
const REVENUE = { mean: 3, sd: 1 };
const SCORES = [0.05, 0.1, 0.2, 0.4, 0.25];
const SCORE_MEAN = SCORES.reduce((sum, share, index) => sum + share * (index + 1), 0);

/** Draws normal values of mean 10, with a standard deviation per arm. */
export function normalUsers(effect = 0, sds: readonly [control: number, treatment: number] = [3, 3]) {
  const name = sds[0] === sds[1] ? "normal" : `normal, sd ${sds[0]} / ${sds[1]}`;
  const user = ({ normal }: Draw, { arm }: Place) => 10 + effect * arm + sds[arm] * normal();
  return { name, user, mean: 10, effect } satisfies PerUserPopulation;
}

/** Draws lognormal values (skewness 6.2); the treatment's are `lift` larger. */
export function skewedUsers(lift = 0): PerUserPopulation {
  const mean = Math.exp(0.5);
  const user = ({ normal }: Draw, { arm }: Place) => Math.exp(normal()) * (1 + lift * arm);
  return { name: "skewed (lognormal)", user, mean, effect: lift * mean };
}

/** Draws revenue: 4% of the users pay lognormal amounts; the treatment has `lift` more payers. */
export function revenueUsers(lift = 0): PerUserPopulation {
  const mean = REVENUE_SHARE * Math.exp(REVENUE.mean + REVENUE.sd ** 2 / 2);
  const user = ({ chance, normal }: Draw, { arm }: Place) =>
    chance(REVENUE_SHARE * (1 + lift * arm)) ? Math.exp(REVENUE.mean + REVENUE.sd * normal()) : 0;
  return { name: "revenue, 96 % zeros", user, mean, effect: lift * mean };
}

/** Draws scores 1 to 5, many of them tied. */
export function scoredUsers(): PerUserPopulation {
  return { name: "scores 1 to 5", user: drawScore, mean: SCORE_MEAN, effect: 0 };
}

function drawScore({ uniform }: Draw): number {
  let rest = uniform();
  const index = SCORES.findIndex((share) => {
    rest -= share;
    return rest < 0;
  });
  return index < 0 ? SCORES.length : index + 1;
}

/** Draws normal values whose mean falls from 10 to 9 between the periods (Simpson's paradox if pooled). */
export function driftingUsers(effect = 0): PerUserPopulation {
  const user = ({ normal }: Draw, { arm, period }: Place) => 10 - period + effect * arm + 3 * normal();
  return { name: "normal, mean 10 then 9", user, mean: 10, effect };
}

/** Draws whether a user converts: with probability `rate`, and `effect` more in the treatment. */
export function convertingUsers(rate: number, effect = 0): PerUserPopulation {
  const user = ({ chance }: Draw, { arm }: Place) => Number(chance(rate + effect * arm));
  return { name: `conversion ${percent(rate)}`, user, mean: rate, effect };
}

/** Draws conversions whose rate falls from 5% to 4% between the periods. */
export function driftingConversions(): PerUserPopulation {
  const user = ({ chance }: Draw, { period }: Place) => Number(chance(0.05 - 0.01 * period));
  return { name: "conversion 5 % then 4 %", user, mean: 0.05, effect: 0 };
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}
