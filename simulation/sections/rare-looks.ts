import { alwaysValidProportions, type BinaryCounts } from "@assay/stats";
import { type Cell, share, shownShare } from "../harness/cell.ts";
import type { Section } from "../harness/section.ts";
import type { Draw } from "../random/draw.ts";
import { DAYS } from "./daily.ts";

/** Users of both arms. */
const USERS_PER_DAY = 400;

/** A share without an effect, checked every day. */
function rareCell(rate: number, treatmentShare: number): Cell {
  const [control, treatment] = [1 - treatmentShare, treatmentShare].map((part) =>
    Math.round(part * USERS_PER_DAY),
  ) as [number, number];
  return {
    id: `rare-looks/${1000 * rate}-per-mille/${100 * treatmentShare}`,
    labels: [`${Number((100 * rate).toPrecision(3))} %`, `${control} / ${treatment}`],
    repetitions: { long: 4_000, short: 40 },
    measures: [
      share("p_value_seq ≤ .05 on any day", 0.05, "high"),
      share("interval misses 0 on any day", 0.05, "high"),
      shownShare("has evidence at the end"),
    ],
    observe: (draw) => {
      let [small, misses, last] = [0, 0, 0];
      for (const strata of dailyCounts(draw, { rate, control, treatment })) {
        const valid = alwaysValidProportions(strata);
        last = Number(valid !== null);
        if (valid === null) continue;
        if (valid.pValue <= 0.05) small = 1;
        if (valid.ciLow > 0 || valid.ciHigh < 0) misses = 1;
      }
      return [small, misses, last];
    },
  };
}

function* dailyCounts({ chance }: Draw, of: { rate: number; control: number; treatment: number }) {
  const more = ({ n, successes }: BinaryCounts, users: number): BinaryCounts => {
    const own = Array.from({ length: users }, () => Number(chance(of.rate)));
    return { n: n + users, successes: own.reduce((sum, one) => sum + one, successes) };
  };
  let [control, treatment] = [NOBODY, NOBODY];
  for (let day = 1; day <= DAYS; day++) {
    control = more(control, of.control);
    treatment = more(treatment, of.treatment);
    yield [{ control, treatment }];
  }
}

const NOBODY: BinaryCounts = { n: 0, successes: 0 };

const RATES = [0.002, 0.005, 0.02, 0.998] as const;
const SHARES = [0.5, 0.1, 0.05] as const;

export const rareLooks: Section = {
  id: "rare-looks",
  title: "Looking every day at a rare share",
  text: `${DAYS} looks at a binary metric without an effect, with ${USERS_PER_DAY} users a day. While the small arm has no case, the usual (Wald)
standard error comes from the other arm alone and is far too small. It calls 26 to 38 % of such experiments different on some day.
\`p_value_seq\` and its interval use the score statistic, and are withheld while an expected cell is below 10.`,
  tables: [
    {
      caption: "No effect: an alarm on any day",
      heads: ["share", "users a day"],
      cells: RATES.flatMap((rate) => SHARES.map((part) => rareCell(rate, part))),
    },
  ],
  figures: () => [],
};
