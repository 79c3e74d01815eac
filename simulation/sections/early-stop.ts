import { permutedMeans } from "../assay/tests.ts";
import { type Cell, share, shownMean } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import { balanced, type Design, unbalanced } from "../populations/design.ts";
import { normalUsers, skewedUsers } from "../populations/per-user.ts";
import type { Population } from "../populations/population.ts";
import { COMPARISON_HEADS, compare, comparisonId, comparisonLabels } from "./comparison.ts";

const LEVELS = [0.001, 0.01, 0.05, 0.1, 0.2];

function levelCell(population: Population<number>, design: Design): Cell {
  const comparison = { test: permutedMeans, population, design };
  return {
    id: `early-stop/${comparisonId(comparison)}`,
    labels: comparisonLabels(comparison),
    repetitions: { long: 20_000, short: 300 },
    measures: [...LEVELS.map((level) => share(`p ≤ ${level}`, level)), shownMean("mean permutations")],
    observe: (draw) => {
      const { pValue, permutationsUsed } = compare(comparison, draw)!;
      return [...LEVELS.map((level) => Number(pValue <= level)), permutationsUsed];
    },
  };
}

export const earlyStop: Section = {
  id: "early-stop",
  title: "Permutations that stop early",
  text: `Assay draws at most 9,999 permutations. It stops early when 100 of the first 999, or later any 100, reach the observed value
(Besag & Clifford 1991), so a clear non-effect costs a tenth. The p-value of such a test must still fall below every level
exactly as often as the level says.`,
  tables: [
    {
      caption: "Share of p-values at or below a level, without an effect",
      heads: COMPARISON_HEADS,
      cells: [levelCell(normalUsers(), balanced(40)), levelCell(skewedUsers(), unbalanced(60, 20))],
    },
  ],
  figures: () => [],
};
