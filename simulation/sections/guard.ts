import { DEFAULT_GUARD, GUARD_COLUMNS, GUARD_GROUPS, type Guard, type GuardColumn } from "@assay/domain";
import { GUARD_ALPHA, harmsOf, lookAtGuard, watchedSignals } from "@assay/pipeline";
import { type Cell, share, shownMean } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";
import { isHeldWithoutHarm } from "./guard-rollout.ts";

/** Calls of an arm between two looks: a minute at one call a second. */
const CALLS = 60;
const LOOKS = 150;
/** Nothing is acceptable: the hardest case, in which no harm is as much as may be. */
const NOTHING: Guard = {
  ...{ errorRate: 0, latency: 0, costPerCall: 0, costPerUser: 0, missingUsage: 0, truncation: 0 },
};

interface Arm {
  readonly errorRate: number;
  /** The share of all calls that one user makes, on top of those of the others. */
  readonly heavyShare: number;
}

type Sums = Readonly<Record<GuardColumn, Float64Array>>;
const newSums = () =>
  Object.fromEntries(
    GUARD_COLUMNS.map((column) => [column, new Float64Array(GUARD_GROUPS)]),
  ) as unknown as Sums;

/** A user with habits of their own: slow or fast, lucky or not. */
const newUser = ({ below, normal }: Draw) => ({
  group: below(GUARD_GROUPS),
  level: Math.exp(0.5 * normal()),
  luck: Math.exp(0.8 * normal() - 0.32),
});

/** Adds the calls of a minute; `users` are those who were there lately. */
function addCalls(
  sums: Sums,
  users: ReturnType<typeof newUser>[],
  { errorRate, heavyShare }: Arm,
  draw: Draw,
): void {
  const heavyCalls = Math.round((CALLS * heavyShare) / (1 - heavyShare));
  for (let call = 0; call < CALLS + heavyCalls; call++) {
    const isKnown = draw.chance(0.8);
    let user = call >= CALLS ? users[0] : isKnown ? users[draw.below(users.length)] : undefined;
    if (user === undefined) {
      user = newUser(draw);
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

/** Runs a guarded experiment, and returns the look that holds it; null when none does. */
function heldAt(
  draw: Draw,
  guard: Guard,
  arms: Readonly<Record<"control" | "treatment", Arm>>,
): number | null {
  const [control, treatment] = [newSums(), newSums()];
  const users = { control: [newUser(draw)], treatment: [newUser(draw)] };
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

const calm: Arm = { errorRate: 0.02, heavyShare: 0 };
const heavy: Arm = { errorRate: 0.02, heavyShare: 0.3 };

function falseCell(label: string, guard: Guard, arms: Readonly<Record<"control" | "treatment", Arm>>): Cell {
  return {
    id: `guard/${label.replaceAll(/[^a-z0-9]+/gi, "-")}`,
    labels: [label],
    repetitions: { long: 400, short: 4 },
    measures: [share("is held", GUARD_ALPHA, "high")],
    observe: (draw) => [Number(heldAt(draw, guard, arms) !== null)],
  };
}

function harmCell(errorRate: number, guard: Guard, label: string): Cell {
  return {
    id: `guard/harm-${1000 * errorRate}-per-mille/${label.replaceAll(/[^a-z0-9]+/gi, "-")}`,
    labels: [`2 % to ${100 * errorRate} %`, label],
    repetitions: { long: 100, short: 2 },
    measures: [shownMean("minutes until it is held"), shownMean("share held in time")],
    observe: (draw) => {
      const at = heldAt(draw, guard, { control: calm, treatment: { ...calm, errorRate } });
      return [at, Number(at !== null)];
    },
  };
}

function rolloutCell(label: string, spread: number): Cell {
  return {
    id: `guard/rollout/${label.replaceAll(/[^a-z0-9]+/gi, "-")}`,
    labels: [label],
    repetitions: { long: 400, short: 1 },
    measures: [share("is held", GUARD_ALPHA, "high")],
    observe: (draw) => [Number(isHeldWithoutHarm(draw, NOTHING, spread))],
  };
}

export const guard: Section = {
  id: "guard",
  title: "The guard between the nights",
  text: `${LOOKS} looks, one a minute, at one call a second and arm, of users with habits of their own: six signals and the traffic split. An
experiment without more harm than is acceptable may be held with a chance of 1 % over its life.

The rollouts of 30 days draw the sums of each group of users directly, and nothing is acceptable, which is the hardest case. They are looked at
each minute for the first four hours, then whenever 3 % more time has passed: 420 looks instead of 43,200. Between two such looks the evidence
wanders little, but it does: looks each minute would hold up to about half as many again.`,
  tables: [
    {
      caption: "No harm: an experiment is held",
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
      caption: "No harm: a rollout of 30 days, to 1, 5, 20 and 50 % of the users in an hour each, is held",
      heads: ["calls"],
      cells: [rolloutCell("are independent", 0), rolloutCell("of a user are alike, for all 30 days", 0.4)],
    },
    {
      caption: "Harm: how soon an experiment is held, of those that are",
      heads: ["errors", "acceptable"],
      cells: [
        harmCell(0.06, NOTHING, "nothing"),
        harmCell(0.06, DEFAULT_GUARD, "1 percentage point"),
        harmCell(0.2, DEFAULT_GUARD, "1 percentage point"),
      ],
    },
  ],
  figures: () => [],
};
