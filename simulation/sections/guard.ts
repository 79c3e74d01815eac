import {
  DEFAULT_GUARD,
  GUARD_COLUMNS,
  GUARD_GROUPS,
  GUARD_SIGNALS,
  type Guard,
  type GuardColumn,
} from "@assay/domain";
import { evidenceThreshold, GUARD_ALPHA, harmsOf, lookAtGuard, watchedSignals } from "@assay/pipeline";
import { type Cell, share, shownMean, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";
import { heldWithoutHarm, NOTHING } from "./guard-rollout.ts";

/** Calls of an arm between two looks: a minute at one call a second. */
const CALLS = 60;
const LOOKS = 150;
/** How much users differ in how often their calls fail. */
const LUCK_SD = 0.8;
interface Arm {
  readonly errorRate: number;
  /** Standard deviation of the logarithm of how often users' calls fail. */
  readonly luckSd?: number;
  /** The share of all calls that one heavy user makes, in addition to the calls of the others. */
  readonly heavyShare: number;
}

type Sums = Readonly<Record<GuardColumn, Float64Array>>;
const newSums = () =>
  Object.fromEntries(
    GUARD_COLUMNS.map((column) => [column, new Float64Array(GUARD_GROUPS)]),
  ) as unknown as Sums;

/** Draws a user with individual habits: slow or fast, lucky or not. */
const newUser = ({ below, normal }: Draw, luckSd: number) => ({
  group: below(GUARD_GROUPS),
  level: Math.exp(0.5 * normal()),
  luck: Math.exp(luckSd * normal() - luckSd ** 2 / 2),
});

/** Adds the calls of a minute; `users` are the recent users. */
function addCalls(
  sums: Sums,
  users: ReturnType<typeof newUser>[],
  { errorRate, heavyShare, luckSd = LUCK_SD }: Arm,
  draw: Draw,
): void {
  const heavyCalls = Math.round((CALLS * heavyShare) / (1 - heavyShare));
  for (let call = 0; call < CALLS + heavyCalls; call++) {
    const isKnown = draw.chance(0.8);
    let user = call >= CALLS ? users[0] : isKnown ? users[draw.below(users.length)] : undefined;
    if (user === undefined) {
      user = newUser(draw, luckSd);
      sums.exposures[user.group]! += 1;
      if (users.push(user) > 200) users.splice(1, 1);
    }
    const { group, level, luck } = user;
    const add = (column: GuardColumn, by: number) => {
      sums[column][group]! += by;
    };
    const fails = draw.chance(errorRate * luck);
    add("calls", 1);
    add(fails ? "errors" : "completed", 1);
    add("latencySum", 800 * level * Math.exp(0.7 * draw.normal()));
    add("latencyCount", 1);
    if (fails) continue;
    add("costSum", 0.01 * level * Math.exp(0.8 * draw.normal()));
    add("costCount", 1);
    add("missingUsage", Number(draw.chance(0.03)));
    add("truncated", Number(draw.chance(0.02)));
  }
}

/** Runs a guarded experiment, and returns the number of the look that holds it; null if none does. */
function heldAt(
  draw: Draw,
  guard: Guard,
  arms: Readonly<Record<"control" | "treatment", Arm>>,
): number | null {
  const [control, treatment] = [newSums(), newSums()];
  const first = ({ luckSd = LUCK_SD }: Arm) => [newUser(draw, luckSd)];
  const users = { control: first(arms.control), treatment: first(arms.treatment) };
  const columns = (sums: Sums) => GUARD_COLUMNS.map((column) => sums[column]);
  const signals = watchedSignals(guard, []);
  for (let look = 1; look <= LOOKS; look++) {
    addCalls(control, users.control, arms.control, draw);
    addCalls(treatment, users.treatment, arms.treatment, draw);
    const sums = new Map([
      ["control", columns(control)],
      ["treatment", columns(treatment)],
    ]);
    const shares = { control: 0.5, treatment: 0.5 };
    if (harmsOf(lookAtGuard({ sums, signals, control: "control", shares, starts: 1 })).length > 0)
      return look;
  }
  return null;
}

/** Control's error rate. */
const CALM = 0.02;
const calm: Arm = { errorRate: CALM, heavyShare: 0 };
const heavy: Arm = { errorRate: CALM, heavyShare: 0.3 };

function falseCell(label: string, guard: Guard, arms: Readonly<Record<"control" | "treatment", Arm>>): Cell {
  return {
    id: `guard/${label.replaceAll(/[^a-z0-9]+/gi, "-")}`,
    labels: [label],
    repetitions: { long: 400, short: 4 },
    measures: [share("is held", GUARD_ALPHA, "high")],
    observe: (draw) => [Number(heldAt(draw, guard, arms) !== null)],
  };
}

interface Harm {
  readonly errorRate: number;
  readonly guard: Guard;
  readonly acceptable: string;
  readonly luckSd: number;
}

function harmCell({ errorRate, guard, acceptable, luckSd }: Harm): Cell {
  const users = luckSd === 0 ? "independent" : "of users who differ";
  const least = leastMinutes({ harm: errorRate - CALM - (guard.errorRate ?? 0), errorRate, luckSd });
  return {
    id: `guard/harm-${1000 * errorRate}-per-mille/${acceptable.replaceAll(/[^a-z0-9]+/gi, "-")}/${users.replaceAll(" ", "-")}`,
    labels: [`2 % to ${100 * errorRate} %`, acceptable, users, least.toFixed(1)],
    repetitions: { long: 400, short: 2 },
    measures: [
      shownMean("minutes until it is held"),
      shownShare("within 1.5 times the least"),
      shownShare("held in time"),
    ],
    observe: (draw) => {
      const arm = { ...calm, luckSd };
      const at = heldAt(draw, guard, { control: arm, treatment: { ...arm, errorRate } });
      return [at, at === null ? 0 : Number(at <= 1.5 * least), Number(at !== null)];
    },
  };
}

/** Other calls by the same user within 11 to 20 minutes, averaged over calls; from the variance of the errors in 8,000 arms. */
const OTHER_CALLS = 7;

/**
 * Computes how many minutes a test needs at least, even if it knows the harm and how users differ (Wald): the log of the required
 * evidence, divided by what a minute adds to it on average.
 */
function leastMinutes({
  harm,
  errorRate,
  luckSd,
}: { harm: number } & Pick<Harm, "errorRate" | "luckSd">): number {
  const asked = evidenceThreshold({ treatments: 1, signals: GUARD_SIGNALS.length + 1, starts: 1 });
  const variance = (varianceOf(CALM, luckSd) + varianceOf(errorRate, luckSd)) / CALLS;
  return asked / (harm ** 2 / (2 * variance));
}

/** The variance of a call's error, including the design effect: the more alike a user's calls are, the larger it is. */
function varianceOf(rate: number, luckSd: number): number {
  const between = rate ** 2 * Math.expm1(luckSd ** 2);
  return rate * (1 - rate) + OTHER_CALLS * between;
}

const rolloutCell: Cell = {
  id: "guard/rollout",
  labels: ["nothing is acceptable"],
  repetitions: { long: 10_000, short: 1 },
  measures: [share("is held", GUARD_ALPHA, "high")],
  observe: (draw) => [Number(heldWithoutHarm(draw) !== null)],
};

export const guard: Section = {
  id: "guard",
  title: "The guard between the nights",
  text: `An experiment has ${LOOKS} looks, one a minute, and one call a second in each arm. Users differ in their habits. The guard watches six
signals and the traffic split. If the harm is acceptable, the experiment may be held with a probability of at most 1 % over its life.

The 30-day rollouts have a look every minute too, 43,200 in total. Users come and go. A user makes 20 calls on average, and the
most active make thousands. Users differ in how slow their answers are and how often their calls fail. No harm is acceptable, which
is the hardest case. For speed, running sums are updated with every call, and the guard itself looks only when these come close to
holding the experiment. A test compares the two.

*At least* is the time that a test needs if it knows the harm and how much users differ: the required evidence divided by what a
minute of calls adds on average (Wald's bound). Where users differ, a user's calls resemble each other, and a minute adds less.`,
  tables: [
    {
      caption: "No harm: how often an experiment is held",
      heads: ["situation"],
      cells: [
        falseCell("nothing is acceptable", NOTHING, { control: calm, treatment: calm }),
        falseCell("by default", DEFAULT_GUARD, { control: calm, treatment: calm }),
        falseCell("one user makes a third of the treatment's calls", NOTHING, {
          control: calm,
          treatment: heavy,
        }),
      ],
    },
    {
      caption:
        "No harm: how often a 30-day rollout is held (stages of 1, 5, 20 and 50 % of the users, one hour each; 1 to 10 calls per arm and minute)",
      heads: ["guard"],
      cells: [rolloutCell],
    },
    {
      caption: "Harm: how soon an experiment is held, among those that are held",
      heads: ["errors", "acceptable", "calls", "at least, minutes"],
      cells: [0, LUCK_SD].flatMap((luckSd) => [
        harmCell({ errorRate: 0.06, guard: NOTHING, acceptable: "nothing", luckSd }),
        harmCell({ errorRate: 0.06, guard: DEFAULT_GUARD, acceptable: "1 percentage point", luckSd }),
        harmCell({ errorRate: 0.2, guard: DEFAULT_GUARD, acceptable: "1 percentage point", luckSd }),
      ]),
    },
  ],
  figures: () => [],
};
