import {
  type Experiment,
  firstVersion,
  type LoggedTraces,
  NO_ATTRIBUTION_FACTS,
  type OutcomeSource,
} from "@assay/domain";
import { lostTracesChecks } from "@assay/pipeline";
import { type Cell, share, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";

/** The check withholds a run below this p-value, if the arms differ by a point. */
const LEVEL = 0.001;

/** Users of a period, by arm, and the probability that one of their traces is dropped. */
interface TracedPeriod {
  readonly users: readonly number[];
  readonly dropped: number;
}

/** Draws how many traces a user has: most users have few, some have very many. */
function tracesOf({ uniform }: Draw): number {
  return Math.min(2_000, Math.floor((1 - uniform()) ** (-1 / 1.1)));
}

/** Draws a user whose share of lost traces lies around `dropped`: networks and sessions differ. */
function userOf(draw: Draw, dropped: number): Omit<LoggedTraces, "arm" | "period"> {
  const traces = tracesOf(draw);
  // A tenth of the users lose everything or nothing.
  const own = draw.chance(0.1) ? Number(draw.chance(dropped)) : dropped;
  let lost = 0;
  for (let i = 0; i < traces; i++) lost += Number(draw.chance(own));
  return { traces, lost };
}

const EXPERIMENT = { orgId: "org", version: 1, servedAt: 0, createdAt: 0, updatedAt: 0, isDemo: false };
const CALLS: OutcomeSource = {
  ...{ type: "model_call", businessMetric: null, source: "otlp", events: 1, users: 1 },
  ...{ usersBeforeExposure: 0, usersWithoutExposure: 0 },
};

/** Returns whether the health check raises an alarm. */
function alarms(draw: Draw, periods: readonly TracedPeriod[], loggedTraces: readonly LoggedTraces[]): number {
  const arms = periods[0]!.users.map((_, arm) => `arm-${arm}`);
  const allocation = arms.map((variant) => ({ variant, weight: 1 }));
  const content = firstVersion({ name: "simulated", salt: "s", bucketCount: 1_000, allocation, metrics: [] });
  const experiment: Experiment = { ...content, ...EXPERIMENT, id: `simulated-${draw.seed()}` };
  const [check] = lostTracesChecks({
    experiment,
    attribution: { ...NO_ATTRIBUTION_FACTS, outcomes: [CALLS] },
    periods: periods.map(({ users }, startsAt) => {
      const all = users.reduce((sum, count) => sum + count, 0);
      return { startsAt, shares: Object.fromEntries(arms.map((arm, i) => [arm, users[i]! / all])) };
    }),
    loggedTraces,
    sampling: [],
  });
  return Number(check?.severity === "warning");
}

function nullCell(name: string, periods: readonly TracedPeriod[]): Cell {
  return {
    id: `lost-traces/${name.replaceAll(/[^a-z0-9]+/gi, "-")}`,
    labels: [
      name,
      periods.map(({ users }) => users.join(" / ")).join(", then "),
      periods.map(({ dropped }) => `${100 * dropped}%`).join(", then "),
    ],
    repetitions: { long: 4_000, short: 25 },
    measures: [share("withheld", LEVEL, "high")],
    observe: (draw) => [
      alarms(
        draw,
        periods,
        periods.flatMap(({ users, dropped }, period) =>
          users.flatMap((count, arm) =>
            Array.from({ length: count }, () => ({ arm: `arm-${arm}`, period, ...userOf(draw, dropped) })),
          ),
        ),
      ),
    ],
  };
}

const nullCells: readonly Cell[] = [
  nullCell("sampled at random", [{ users: [500, 500], dropped: 0.9 }]),
  nullCell("hardly any lost, 90/10", [{ users: [900, 100], dropped: 0.02 }]),
  nullCell("few users", [{ users: [15, 15], dropped: 0.5 }]),
  nullCell("four arms", [{ users: [200, 200, 200, 200], dropped: 0.3 }]),
  nullCell("sampler and weights changed", [
    { users: [450, 50], dropped: 0.1 },
    { users: [250, 250], dropped: 0.8 },
  ]),
];

/** The collector keeps failed traces and a tenth of the others. */
const KEPT = 0.1;
const FAILING = { control: 0.05, treatment: [0.05, 0.08, 0.1, 0.2] };

const powerCells: readonly Cell[] = [200, 1_000, 5_000].map((users) => ({
  id: `lost-traces/tail-sampling-of-${users}`,
  labels: [users.toLocaleString("en-US")],
  repetitions: { long: 300, short: 0 },
  measures: FAILING.treatment.map((failing) => shownShare(`${100 * failing} % fail`)),
  observe: (draw: Draw) =>
    FAILING.treatment.map((treatment) => {
      const armOf = (arm: number, failing: number) =>
        Array.from({ length: users }, () => ({
          ...{ arm: `arm-${arm}`, period: 0 },
          ...userOf(draw, (1 - failing) * (1 - KEPT)),
        }));
      const period = { users: [users, users], dropped: 0 };
      return alarms(draw, [period], [...armOf(0, FAILING.control), ...armOf(1, treatment)]);
    }),
}));

export const lostTraces: Section = {
  id: "lost-traces",
  title: "The check of lost traces",
  text: `A log record reports each evaluation, but the trace with the calls may be dropped. The check compares the share of lost traces per
user. It permutes users within allocation periods, and withholds a run when p is below .001 (divided by the number of treatments) and
the arms differ by at least one percentage point. The number of traces per user follows Pareto's law with exponent 1.1, and a tenth
of the users lose all of their traces or none.

When traces are dropped at random, at most one run in a thousand is withheld. The second table shows what the check detects when a
collector keeps failed traces and a tenth of the others. In control, 5 % of the traces fail.`,
  tables: [
    {
      caption: "Dropped at random",
      heads: ["traces", "users by arm", "dropped"],
      cells: nullCells,
    },
    {
      caption: "Failed traces are kept: withheld, by the treatment's failures",
      heads: ["users per arm"],
      cells: powerCells,
    },
  ],
  figures: () => [],
};
