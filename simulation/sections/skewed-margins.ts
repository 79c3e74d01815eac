import { skewnessOf, type TestOutcome, usersForSkew } from "@assay/stats";
import { permutedMeans, type UserTest, welch } from "../assay/tests.ts";
import { type Cell, share, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import { balanced, type Design, drawStrata, unbalanced } from "../populations/design.ts";
import { normalUsers, type PerUserPopulation } from "../populations/per-user.ts";
import type { Draw } from "../random/draw.ts";

const LOSS = 0.1;
const PAYERS = 0.05;
const SD = 1.5;

/** One user in twenty has a cost, with lognormal amounts; a tenth more in the treatment. */
const payers: PerUserPopulation = {
  name: "cost of 5 % of the users",
  user: ({ chance, normal }: Draw, { arm }) =>
    chance(PAYERS * (1 + LOSS * arm)) ? 30 * Math.exp(SD * normal()) : 0,
  mean: PAYERS * 30 * Math.exp(SD ** 2 / 2),
  effect: LOSS * PAYERS * 30 * Math.exp(SD ** 2 / 2),
};

/** Every user has a cost, with lognormal amounts; a tenth more in the treatment. */
const amounts: PerUserPopulation = {
  name: "lognormal cost",
  user: ({ normal }: Draw, { arm }) => Math.exp(normal()) * (1 + LOSS * arm),
  mean: Math.exp(0.5),
  effect: LOSS * Math.exp(0.5),
};

function marginCell(test: UserTest<number>, population: PerUserPopulation, design: Design): Cell {
  return {
    id: `skewed-margins/${[test.name, population.name, design.name].map((part) => part.replaceAll(/[^a-z0-9]+/g, "-")).join("/")}`,
    labels: [test.name, population.name, design.name],
    repetitions: { long: 2_000, short: 25 },
    measures: [
      shownShare("interval within the margin"),
      share("“not worse” is claimed", 0.025, "high"),
      shownShare("withheld"),
    ],
    observe: (draw) => {
      const strata = drawStrata(draw, design, population.user);
      const outcome = test.run(strata, draw.seed());
      const groups = strata.flatMap(({ control, treatment }) => [control, treatment]);
      const [control, treatment] = [groups[0]!.length, groups[1]!.length];
      const skewness = skewnessOf(groups.map((group) => Float64Array.from(group)));
      const isSettled = Math.min(control, treatment) >= usersForSkew(skewness, { control, treatment });
      const isWithin = staysWithin(outcome, population.effect);
      return [Number(isWithin), Number(isSettled && isWithin), Number(!isSettled)];
    },
  };
}

/** The truth is at the margin, so every bound below it is an error. */
function staysWithin(outcome: TestOutcome | null, effect: number): boolean {
  return outcome !== null && outcome.ciHigh !== null && outcome.ciHigh < effect;
}

export const skewedMargins: Section = {
  id: "skewed-margins",
  title: "Not worse, with skewed values",
  text: `Lower is better for this metric, and the treatment is worse by exactly the margin. “Not worse” may be claimed in 2.5 % of the experiments.
The interval of a skewed mean in unequal arms breaks that promise. So the claim is withheld until the smaller arm has enough users for
the skewness and the split.`,
  tables: [
    {
      caption: "The truth is at the margin",
      heads: ["test", "users", "per arm"],
      cells: [
        marginCell(welch, payers, unbalanced(1_800, 200)),
        marginCell(permutedMeans, payers, unbalanced(1_800, 200)),
        marginCell(permutedMeans, payers, balanced(1_000)),
        marginCell(welch, amounts, balanced(250)),
        marginCell(permutedMeans, amounts, balanced(250)),
        marginCell(welch, amounts, unbalanced(1_111, 889)),
        marginCell(welch, amounts, unbalanced(1_300, 700)),
        marginCell(welch, normalUsers(0.2), unbalanced(1_800, 200)),
        marginCell(permutedMeans, normalUsers(0.2), unbalanced(1_800, 200)),
      ],
    },
  ],
  figures: () => [],
};
