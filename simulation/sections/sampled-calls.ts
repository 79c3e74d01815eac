import type { Stratum } from "@assay/stats";
import { delta, permutedMeans, permutedRatios, type UserTest, welch } from "../assay/tests.ts";
import { type Cell, share } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import { type Calls, callingUsers, meanCalls, meanLatency, type RatioUser } from "../populations/calls.ts";
import { balanced, drawStrata } from "../populations/design.ts";
import type { Draw } from "../random/draw.ts";
import { holds, rejects } from "./comparison.ts";

const LIFT = 0.05;
const USERS = 1_000;

/** The probability with which a call is kept, in control and in the treatment. */
type Kept = readonly [control: number, treatment: number];

/** Adds up the calls of a user that a sampler kept, as an analysis does: each counts for 1 / probability. */
function weighted({ uniform }: Draw, calls: Calls, probability: number): RatioUser {
  const kept = calls.filter(() => uniform() < probability);
  return { y: kept.reduce((sum, value) => sum + value / probability, 0), d: kept.length / probability };
}

function drawSampled(draw: Draw, lift: number, kept: Kept): Stratum<RatioUser[]>[] {
  const { user } = callingUsers(lift);
  return drawStrata(draw, balanced(USERS), (own, place) => weighted(own, user(own, place), kept[place.arm]));
}

/** A metric of the calls. */
interface Sampled<U> {
  readonly name: string;
  readonly test: UserTest<U>;
  /** The closed form. Its interval is as wide, and much faster to compute. */
  readonly interval: UserTest<U>;
  /** A user's part of the metric; also defined for a user without a kept call. */
  readonly of: (user: RatioUser) => U;
  readonly effect: number;
}

const perCall: Sampled<RatioUser> = {
  name: "ratio: mean of a call",
  test: permutedRatios,
  interval: delta,
  of: (user) => user,
  effect: LIFT * meanLatency(),
};
const perUser: Sampled<number> = {
  name: "mean: sum of a user",
  test: permutedMeans,
  interval: welch,
  of: ({ y }) => y,
  effect: LIFT * meanLatency() * meanCalls(),
};

function sampledCell<U>({ name, test, interval, of, effect }: Sampled<U>, kept: Kept): Cell {
  const usersOf = (strata: readonly Stratum<RatioUser[]>[]) =>
    strata.map(({ control, treatment }) => ({
      control: control.map(of),
      treatment: treatment.map(of),
    }));
  return {
    id: `sampled-calls/${name.slice(0, name.indexOf(":"))}/${kept.join("-")}`,
    labels: [name, ...kept.map((probability) => `${100 * probability}%`)],
    repetitions: { long: 1_000, short: 15 },
    measures: [share("p ≤ .05 without an effect", 0.05), share("interval holds the effect", 0.95)],
    observe: (draw) => {
      const none = test.run(usersOf(drawSampled(draw, 0, kept)), draw.seed());
      const some = interval.run(usersOf(drawSampled(draw, LIFT, kept)), draw.seed());
      return [rejects(none), holds(some?.ciLow ?? null, some?.ciHigh ?? null, effect)];
    },
  };
}

const KEPT: readonly Kept[] = [
  [0.1, 0.1],
  [0.1, 0.5],
  [0.1, 1],
];

export const sampledCalls: Section = {
  id: "sampled-calls",
  title: "Sampled calls",
  text: `A sampler keeps a call with probability p, and the call then counts 1 / p times. Users make 1 + ⌊lognormal(0.8, 0.9)⌋ calls. With an
effect, the treatment's calls are ${100 * LIFT}% slower. Every exposure arrives, as with log records. The tests see the weights only in
the sums per user. So the intervals include the spread between users that a sampler adds, even if it keeps different shares in the
arms.`,
  tables: [
    {
      caption: `${USERS.toLocaleString("en-US")} users per arm`,
      heads: ["metric", "control's calls kept", "treatment's"],
      cells: KEPT.flatMap((kept) => [sampledCell(perCall, kept), sampledCell(perUser, kept)]),
    },
  ],
  figures: () => [],
};
