import { adjustFdr, sequentialSrm, twoProportionZ } from "@assay/stats";
import { type Chapter, showFigure } from "../report/chapter.ts";
import { markdownTable } from "../report/format.ts";
import { linePlot } from "../report/line-plot.ts";
import { BROKEN_WEEKS, equalPeriod, type JudgedTest, judgeHeadlineTests } from "./judged-tests.ts";

const GATE = 0.001;

/** Writes the chapter on the real headline tests of the Upworthy Research Archive. */
export function upworthyChapter(): Chapter {
  const tests = judgeHeadlineTests();
  const figure = {
    file: "upworthy.svg",
    alt: "Share of the Upworthy tests that the gate halts, week by week: most of them while the randomization was broken, hardly any before and after",
    svg: weekPlot(tests),
  };
  const parts = [
    "## The gate on 4,873 real experiments",
    TEXT,
    showFigure(figure),
    `**Tests whose traffic split differs from equal shares**\n\n${splitTable(tests)}`,
    `**Headlines whose click rate differs from the test's first headline**\n\n${clickTable(tests)}`,
  ];
  return { markdown: parts.join("\n\n"), figures: [figure] };
}

const TEXT = `The exploratory set of the Upworthy Research Archive contains headline tests from 2013 to 2015 (source and license:
\`simulation/data/README.md\`). Every headline in a test should get the same share of the readers. The archive's authors found
that a cache broke this from 25 June 2013 to 10 January 2014 (weeks 201325 to 201402). Assay's gate uses only the numbers of
readers (p < .001), and finds those weeks. It halts 736 of the 1,102 tests in them, and 17 of the other 3,771;
\`simulation/upworthy/upworthy.test.ts\` checks these counts in every \`npm test\`. After those weeks it halts twice as many tests as
chance would (3.4 of 3,432). Before them it halts many more, because not all of the early tests are sound either.

The always-valid p-value for the split is stricter. It is a diagnostic next to the gate, and may be looked at every night. The last
table shows what a reader would have seen: each headline compared with the first in its test by a two-proportion z test, corrected
within the test. In the broken weeks, most of the headlines called different are in tests that the gate withholds.`;

function splitTable(tests: readonly JudgedTest[]): string {
  const rows = byWeeks(tests).map(({ name, own }) => {
    const sequential = own.filter((test) => sequentialP(test) < GATE).length;
    return [
      name,
      count(own.length),
      ofAll(own.filter(({ isHalted }) => isHalted).length, own),
      ofAll(sequential, own),
    ];
  });
  return markdownTable(["weeks", "tests", "halted by the gate, p < .001", "always-valid p < .001"], rows);
}

function sequentialP(test: JudgedTest): number {
  return sequentialSrm({ periods: [{ shares: equalPeriod(test).shares, observed: test.impressions }] })
    .pValue;
}

function clickTable(tests: readonly JudgedTest[]): string {
  const rows = byWeeks(tests).flatMap(({ name, own }) =>
    [false, true].map((isHalted) => {
      const headlines = own.filter((test) => test.isHalted === isHalted).flatMap(clickPValues);
      const different = headlines.filter((p) => p < 0.05).length;
      return [name, isHalted ? "halted" : "passed", count(headlines.length), ofAll(different, headlines)];
    }),
  );
  return markdownTable(["weeks", "gate", "headlines", "called different"], rows);
}

/** Each later headline's corrected p-value against the first one. */
function clickPValues({ impressions, clicks }: JudgedTest): readonly number[] {
  const arms = impressions.map((n, arm) => ({ n, successes: clicks[arm]! }));
  const [control, ...treatments] = arms;
  return adjustFdr(
    treatments.flatMap((treatment) => twoProportionZ([{ control: control!, treatment }])?.pValue ?? []),
  );
}

function byWeeks(tests: readonly JudgedTest[]) {
  const { from, to } = BROKEN_WEEKS;
  return [
    { name: `before ${from}`, own: tests.filter(({ week }) => week < from) },
    { name: `${from} to ${to}`, own: tests.filter(({ isInBrokenWeeks }) => isInBrokenWeeks) },
    { name: `after ${to}`, own: tests.filter(({ week }) => week > to) },
  ];
}

function weekPlot(tests: readonly JudgedTest[]): string {
  const weeks = [...new Set(tests.map(({ week }) => week))].sort();
  const points = weeks.map((week, index) => {
    const own = tests.filter((test) => test.week === week);
    return [index, own.filter(({ isHalted }) => isHalted).length / own.length] as const;
  });
  const named = ["201313", BROKEN_WEEKS.from, BROKEN_WEEKS.to, "201426", "201501"];
  return linePlot({
    title: "Headline tests halted by the gate, week by week",
    xLabel: `year and week of the test (randomization broken from ${BROKEN_WEEKS.from} to ${BROKEN_WEEKS.to})`,
    series: [{ name: "share of the week's tests", points }],
    xTicks: named.map((week) => [weeks.indexOf(week), week] as const),
  });
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}

function ofAll(part: number, all: readonly unknown[]): string {
  return `${count(part)} (${((100 * part) / all.length).toFixed(1)} %)`;
}
