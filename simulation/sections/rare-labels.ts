import { ppiDifference, type ScoredUnit, widenForRareLabels } from "@assay/stats";
import { type Cell, share, shownMean, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";

const USERS = 1_000;
const MARGIN = 0.02;

interface Judged {
  readonly passes: number;
  readonly labels: number;
  /** Share of the answers on which the judge agrees with people. */
  readonly right: number;
}

/** One judged answer per user; the first ones have a label. */
function armOf({ chance }: Draw, { passes, labels, right }: Judged): readonly ScoredUnit[] {
  return Array.from({ length: USERS }, (_, cluster) => {
    const isGood = chance(passes);
    const score = Number(chance(right) === isGood);
    return { cluster, weight: 1, score, label: cluster < labels ? Number(isGood) : null };
  });
}

function rareCell(judged: Judged): Cell {
  const { passes, labels, right } = judged;
  return {
    id: `rare-labels/${100 * passes}/${labels}/${100 * right}`,
    labels: [`${100 * passes} %`, `${labels}`, `${100 * right} %`],
    repetitions: { long: 2_000, short: 25 },
    measures: [
      shownShare("normal interval: “not worse”"),
      share("widened interval: “not worse”", 0.025, "high"),
      shownMean("widened: width"),
    ],
    observe: (draw) => {
      const arms = {
        control: armOf(draw, judged),
        treatment: armOf(draw, { ...judged, passes: passes - MARGIN }),
      };
      const ppi = ppiDifference(arms);
      if (ppi === null) return [null, null, null];
      const { ciLow, ciHigh } = widenForRareLabels(arms, ppi);
      return [Number(ppi.ciLow! > -MARGIN), Number(ciLow! > -MARGIN), ciHigh! - ciLow!];
    },
  };
}

export const rareLabels: Section = {
  id: "rare-labels",
  title: "Judged rates near 1",
  text: `The treatment passes ${100 * MARGIN} points less, which is the margin. So “not worse” may be claimed in 2.5 % of the experiments.
The first column is the interval without the bound for rare labels.`,
  tables: [
    {
      caption: "The truth is at the margin",
      heads: ["passes", "labels per arm", "judge agrees with people"],
      cells: [
        rareCell({ passes: 0.97, labels: 50, right: 0.95 }),
        rareCell({ passes: 0.96, labels: 50, right: 0.9 }),
        rareCell({ passes: 0.97, labels: 150, right: 0.95 }),
        rareCell({ passes: 0.7, labels: 50, right: 0.99 }),
      ],
    },
  ],
  figures: () => [],
};
