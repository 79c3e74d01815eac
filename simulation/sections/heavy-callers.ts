import { quantileTest } from "../assay/tests.ts";
import { type Cell, share, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Calls } from "../populations/calls.ts";
import { balanced, type Design, drawStrata, unbalanced } from "../populations/design.ts";
import type { Draw } from "../random/draw.ts";
import { rejects } from "./comparison.ts";

/** With this exponent the mean number of calls is finite and its variance is not. */
const EXPONENT = 1.1;
const MOST_CALLS = 250;

/** Draws users whose numbers of calls follow Pareto's law, each with an individual latency level. */
function paretoUser({ uniform, normal }: Draw): Calls {
  const level = 800 * Math.exp(0.4 * normal());
  const calls = Math.min(MOST_CALLS, Math.floor((1 - uniform()) ** (-1 / EXPONENT)));
  return Array.from({ length: calls }, () => level * Math.exp(0.5 * normal()));
}

/** One user of the treatment makes as many calls as all other users together. */
function withOwner(strata: ReturnType<typeof drawStrata<Calls>>, { normal }: Draw) {
  return strata.map(({ control, treatment }) => {
    const level = 800 * Math.exp(0.4 * normal());
    const calls = treatment.reduce((sum, { length }) => sum + length, 0);
    const owner = Array.from({ length: calls }, () => level * Math.exp(0.5 * normal()));
    return { control, treatment: [...treatment.slice(1), owner] };
  });
}

function heavyCell(quantile: number, design: Design, hasOwner: boolean): Cell {
  const test = quantileTest(quantile);
  const kind = hasOwner ? "one user owns half of the treatment's calls" : `Pareto ${EXPONENT}`;
  return {
    id: `heavy-callers/p${100 * quantile}/${design.name.replaceAll(/[^a-z0-9]+/g, "-")}/${hasOwner ? "owner" : "pareto"}`,
    labels: [kind, `p${100 * quantile}`, design.name],
    repetitions: { long: 2_000, short: 15 },
    measures: [
      share("p ≤ .05", 0.05, "high"),
      share("interval misses 0", 0.05, "high"),
      shownShare("has a row"),
    ],
    observe: (draw) => {
      const drawn = drawStrata(draw, design, paretoUser);
      const outcome = test.run(hasOwner ? withOwner(drawn, draw) : drawn, draw.seed());
      // Where no row is expected, a missing row is not an alarm.
      const none = hasOwner ? 0 : null;
      const misses = outcome && Number(outcome.ciLow! > 0 || outcome.ciHigh! < 0);
      return [rejects(outcome) ?? none, misses ?? none, Number(outcome !== null)];
    },
  };
}

export const heavyCallers: Section = {
  id: "heavy-callers",
  title: "Quantiles with heavy users",
  text: `A quantile of calls, without an effect. Users' numbers of calls follow Pareto's law with exponent ${EXPONENT} (at most ${MOST_CALLS}). The
normal formula calls up to 15 % of such experiments different, and up to 78 % when one user makes half of an arm's calls. Assay
therefore permutes whole users, and a quantile gets no row if one user makes over a tenth of its calls.`,
  tables: [
    {
      caption: "No effect",
      heads: ["users", "quantile", "per arm"],
      cells: [
        heavyCell(0.5, balanced(800), false),
        heavyCell(0.9, balanced(800), false),
        heavyCell(0.5, unbalanced(1_800, 600), false),
        heavyCell(0.5, balanced(300), true),
      ],
    },
  ],
  figures: () => [],
};
