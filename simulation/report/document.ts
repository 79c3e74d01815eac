import type { Row } from "../harness/section.ts";
import type { Chapter } from "./chapter.ts";
import { markdownTable } from "./format.ts";

const INTRODUCTION = `# Calibration

Do Assay's statistical tests keep their error rates? They run here on simulated experiments with a known truth. The gate on
the traffic split also runs on 4,873 real experiments. \`npm run simulate\` writes this document and its plots. The same code
gives the same figures on any machine, and \`npm test -- --all\` runs a short form of it.

## How to read it

- A line is a **cell**: one way to draw users, one measurement, and a number of repetitions. Brackets after a figure contain its
  limits: the exact 99.9 % binomial band for a share, 3.29 standard errors around a mean, or three standard errors around a
  power from theory. A single limit (≤, ≥) means that the method is known to err on the safe side.
- A figure outside its limits is marked **out** and circled in the plot. With this many figures, one may miss by chance. The
  seeds are the cells' names, so nobody selected them. A figure without limits is shown, not judged.
- A measure skips repetitions without a value for it (no interval, nothing selected).
- The generator that draws users is independent of the one in the statistics package.
- \`npm run simulate -- --only <text>\` prints the tables and ids of the cells with this text in their id. It
  writes nothing. Repetition k of a cell draws from the source named \`<id>#<k>\`.`;

/** Writes the whole document. */
export function documentOf(chapters: readonly Chapter[], rows: readonly Row[]): string {
  return `${[INTRODUCTION, summaryOf(rows), ...chapters.map(({ markdown }) => markdown)].join("\n\n")}\n`;
}

/** Writes the number of judged figures and a list of those outside their limits. */
export function summaryOf(rows: readonly Row[]): string {
  const judged = rows.flatMap(({ cell, verdicts }) =>
    verdicts.filter(({ limits }) => limits !== null).map((judgement) => ({ cell, judgement })),
  );
  const missed = judged.filter(({ judgement }) => !judgement.isInside);
  const sentence = `${judged.length} figures are judged; ${missed.length} ${missed.length === 1 ? "misses its" : "miss their"} limits.`;
  if (missed.length === 0) return sentence;
  const lines = missed.map(({ cell, judgement }) => [`\`${cell.id}\``, judgement.measure.name]);
  return `${sentence}\n\n${markdownTable(["cell", "measure"], lines)}`;
}
