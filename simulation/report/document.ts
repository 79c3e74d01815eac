import type { Row } from "../harness/section.ts";
import type { Chapter } from "./chapter.ts";
import { markdownTable } from "./format.ts";

const INTRODUCTION = `# Calibration

Do the tests of Assay say what they claim? Here they run on simulated experiments whose truth is known, and the gate on the
traffic split on 4,873 real ones. \`npm run simulate\` writes this document and its plots; the same code gives the same
figures on any machine, and a short form of it runs with \`npm test\`.

## How to read it

- A line is a **cell**: one way to draw users, one thing to look at, so many repetitions. Each figure stands with the limits
  that it has to keep in brackets: the exact 99.9 % binomial band of a share, 3.29 standard errors around a mean, three
  standard errors around a power that theory gives. One limit only (≤, ≥): the method is known to err on the safe side.
- A figure that misses its limits is marked **out** and ringed in the plot. Among so many figures one may miss by chance; the
  seeds are the cells' names and were not chosen. A figure without limits is shown, not judged.
- A measure that a repetition says nothing about (no interval, nothing selected) leaves that repetition out.
- Users are drawn by a generator of random numbers that is not the one of the statistics package.
- \`npm run simulate -- --only <text>\` runs the cells whose id contains the text and prints their tables, with the ids; it
  writes nothing. Repetition k of a cell draws from the source named \`<id>#<k>\`.`;

/** Writes the whole document. */
export function documentOf(chapters: readonly Chapter[], rows: readonly Row[]): string {
  return `${[INTRODUCTION, summaryOf(rows), ...chapters.map(({ markdown }) => markdown)].join("\n\n")}\n`;
}

/** Says how many figures are judged and lists those that miss their limits. */
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
