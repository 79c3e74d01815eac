import { bucketOf } from "@assay/bucketing";
import { binomialLogPmf, normalQuantile, sequentialSrm, srmTest } from "@assay/stats";
import { type Cell, type Repetitions, share, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";
import { linePlot } from "../report/line-plot.ts";
import { anyByDay, DAYS, SHOWN_DAYS } from "./daily.ts";

/** The gate withholds a run below this p-value. */
const GATE = 0.001;

/** Users who arrive under one allocation. */
interface SplitPeriod {
  readonly shares: readonly number[];
  readonly users: number;
}

/** How a user gets an arm: by fair dice, or by Assay's own bucket function. */
type Assign = (draw: Draw, shares: readonly number[]) => number;

interface SplitCell {
  readonly name: string;
  readonly method: string;
  readonly periods: readonly SplitPeriod[];
  readonly assign?: Assign;
  readonly repetitions?: Repetitions;
  /** With small counts, the exact test rejects less often than it may. */
  readonly isConservative?: boolean;
}

const CHEAP: Repetitions = { long: 20_000, short: 1_000 };

/** Defines the cell of a split that follows its allocation. */
function nullCell(split: SplitCell): Cell {
  const { name, method, periods, assign = byDice, repetitions = CHEAP } = split;
  const side = split.isConservative ? "high" : "both";
  return {
    id: `traffic-split/${name.replaceAll(/[^a-z0-9]+/gi, "-")}`,
    labels: [name, method, periods.map(({ users }) => users).join(" + ")],
    repetitions,
    measures: [GATE, 0.05].map((level) => share(`p < ${level}`, latticeRate(split, level), side)),
    observe: (draw) => {
      const observed = countArms(draw, periods, assign);
      const { pValue } = srmTest({ periods, observed, seed: draw.seed() });
      return [Number(pValue < GATE), Number(pValue < 0.05)];
    },
  };
}

/**
 * Computes how often p < level when the allocation holds. With two arms, so few splits are possible that the
 * normal approximation shows (5.4% instead of 5% at 500 of 1,000 users), so the rate is added up over all splits.
 */
function latticeRate({ periods, isConservative }: SplitCell, level: number): number {
  const [{ shares, users }, ...others] = periods as readonly [SplitPeriod, ...SplitPeriod[]];
  if (isConservative || others.length > 0 || shares.length > 2) return level;
  const [first] = shares;
  const [mean, sd] = [users * first!, Math.sqrt(users * first! * (1 - first!))];
  const limit = normalQuantile(1 - level / 2);
  const isBelow = (k: number) => Math.abs(k - mean) > limit * sd;
  const chances = Array.from({ length: users + 1 }, (_, k) =>
    isBelow(k) ? Math.exp(binomialLogPmf(k, users, first!)) : 0,
  );
  return chances.reduce((sum, chance) => sum + chance, 0);
}

/** Draws the users of every period and counts them by arm. */
function countArms(draw: Draw, periods: readonly SplitPeriod[], assign: Assign = byDice): number[] {
  const counts = periods[0]!.shares.map(() => 0);
  for (const { shares, users } of periods) {
    for (let user = 0; user < users; user++) counts[assign(draw, shares)]! += 1;
  }
  return counts;
}

function byDice({ uniform }: Draw, shares: readonly number[]): number {
  let rest = uniform();
  let arm = 0;
  while (arm < shares.length - 1 && rest >= shares[arm]!) rest -= shares[arm++]!;
  return arm;
}

const BUCKETS = 1_000_000;

/** Assigns a user with a random id to the arm of its bucket, always in the same experiment. */
function byBucket({ seed }: Draw, shares: readonly number[]): number {
  const experiment = { id: "00000000-0000-4000-8000-000000000001", salt: "assay", bucketCount: BUCKETS };
  const bucket = bucketOf(experiment, `user-${seed()}-${seed()}`);
  let end = 0;
  const arm = shares.findIndex((share) => {
    end += share;
    return bucket < end * BUCKETS;
  });
  return arm < 0 ? shares.length - 1 : arm;
}

const RAMP = { before: [0.8, 0.1, 0.1], after: [0.34, 0.33, 0.33] };
const HALVES = [0.5, 0.5];
const QUARTERS = [0.25, 0.25, 0.25, 0.25];

const nullSplits: readonly Cell[] = [
  nullCell({ name: "50/50", method: "chi-square", periods: [{ shares: HALVES, users: 1_000 }] }),
  nullCell({ name: "90/10", method: "chi-square", periods: [{ shares: [0.9, 0.1], users: 1_000 }] }),
  nullCell({ name: "four equal arms", method: "chi-square", periods: [{ shares: QUARTERS, users: 2_000 }] }),
  nullCell({
    name: "50/50 by bucketOf",
    method: "chi-square",
    periods: [{ shares: HALVES, users: 1_000 }],
    assign: byBucket,
    repetitions: { long: 20_000, short: 200 },
  }),
  nullCell({
    name: "80/10/10 then 34/33/33",
    method: "quadratic form",
    periods: [
      { shares: RAMP.before, users: 1_000 },
      { shares: RAMP.after, users: 1_000 },
    ],
  }),
  nullCell({
    name: "95/5, few users",
    method: "exact binomial",
    periods: [{ shares: [0.95, 0.05], users: 60 }],
    isConservative: true,
  }),
  nullCell({
    name: "four equal arms, few users",
    method: "exact multinomial",
    periods: [{ shares: QUARTERS, users: 16 }],
    isConservative: true,
  }),
  nullCell({
    name: "90/10 then 50/50, few users",
    method: "Monte Carlo",
    periods: [
      { shares: [0.9, 0.1], users: 20 },
      { shares: [0.5, 0.5], users: 5 },
    ],
    repetitions: { long: 2_000, short: 20 },
    isConservative: true,
  }),
];

const LOSSES = [0.01, 0.02, 0.05, 0.1];

/** One of two arms loses a share of its users: how often the gate notices. */
const lossyCells: readonly Cell[] = [1_000, 10_000, 100_000].map((users) => ({
  id: `traffic-split/loss-of-${users}`,
  labels: [users.toLocaleString("en-US")],
  repetitions: { long: 2_000, short: 0 },
  measures: LOSSES.map((loss) => shownShare(`${100 * loss} % lost`)),
  observe: (draw: Draw) => LOSSES.map((loss) => Number(seesLoss(draw, users, loss))),
}));

function seesLoss({ chance }: Draw, users: number, loss: number): boolean {
  const observed: [number, number] = [0, 0];
  for (let user = 0; user < users; user++) {
    if (chance(0.5)) observed[0]++;
    else if (!chance(loss)) observed[1]++;
  }
  return splitP(observed) < GATE;
}

const USERS_PER_NIGHT = 200;

/** The gate checks the same growing counts every night; the always-valid p-value is designed for that. */
const NIGHTLY = [
  {
    id: "gate",
    name: "gate, p < .001 (inflated)",
    measure: shownShare,
    pValue: (observed: readonly number[]) => splitP(observed),
  },
  {
    id: "always-valid",
    name: "always-valid p < .001",
    measure: (name: string) => share(name, GATE, "high"),
    pValue: (observed: readonly number[]) =>
      sequentialSrm({ periods: [{ shares: HALVES, observed }] }).pValue,
  },
] as const;

const nightlyCells: readonly Cell[] = NIGHTLY.map(({ id, name, measure, pValue }) => ({
  id: `traffic-split/nightly-${id}`,
  labels: [name, `${USERS_PER_NIGHT} a day`],
  repetitions: { long: 20_000, short: 200 },
  measures: SHOWN_DAYS.map((day) => measure(`day ${day}`)),
  observe: (draw: Draw) => anyByDay(nightlyCounts(draw), (observed) => pValue(observed) < GATE),
}));

function* nightlyCounts(draw: Draw): Generator<readonly number[]> {
  const counts = [0, 0];
  for (let day = 1; day <= DAYS; day++) {
    for (const [arm, users] of countArms(draw, [{ shares: HALVES, users: USERS_PER_NIGHT }]).entries()) {
      counts[arm]! += users;
    }
    yield counts;
  }
}

function splitP(observed: readonly number[]): number {
  const users = observed.reduce((sum, count) => sum + count, 0);
  return srmTest({ periods: [{ shares: HALVES, users }], observed, seed: 1 }).pValue;
}

export const trafficSplit: Section = {
  id: "traffic-split",
  title: "The gate on the traffic split (SRM)",
  text: `The gate compares users per arm with the allocation. When the allocation holds, p < .001 stops one run in a thousand, for any
arms, periods and counts. Two arms allow few splits, so their rate is not exactly .001 or .05. Their limits therefore surround the
exact rate, summed over all splits. For few users, exact and Monte Carlo p-values reject less often than allowed. \`bucketOf\` is
Assay's own assignment of user ids.

The gate runs every night, so over four weeks it stops up to one in a hundred sound experiments. The always-valid p-value for the
split, which is shown next to it, keeps its level over all nights.

The last table shows what the gate detects when one of two equal arms loses a share of its users (crashes, slow answers). It needs
many users to detect small losses: it detects 2 % in less than half of the experiments with 100,000 users.`,
  tables: [
    { caption: "The allocation holds", heads: ["allocation", "method", "users"], cells: nullSplits },
    { caption: "The allocation holds: stopped up to a day", heads: ["alarm", "users"], cells: nightlyCells },
    {
      caption: "One arm of two loses users: stopped at p < .001",
      heads: ["users before the loss"],
      cells: lossyCells,
    },
  ],
  figures: (rows) => [
    {
      file: "traffic-split-power.svg",
      alt: "Share of experiments that the gate stops, by the share of users that one arm loses, for 1,000, 10,000 and 100,000 users",
      svg: linePlot({
        title: "Experiments stopped by the gate when one arm loses users",
        xLabel: "share of its users that one arm loses, %",
        series: lossyCells
          .flatMap((cell) => rows.filter((row) => row.cell === cell))
          .map(({ cell, verdicts }) => ({
            name: `${cell.labels[0]} users`,
            points: verdicts.map(({ tally }, k) => [100 * LOSSES[k]!, tally.mean] as const),
          })),
      }),
    },
  ],
};
