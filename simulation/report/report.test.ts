import { describe, expect, test } from "vitest";
import { type Cell, type Measure, mean, share, shownShare } from "../harness/cell.ts";
import type { Row, Section } from "../harness/section.ts";
import { toVerdict } from "../harness/verdict.ts";
import { sectionChapter } from "./chapter.ts";
import { documentOf, summaryOf } from "./document.ts";
import { dotPlot } from "./dot-plot.ts";
import { formatVerdict } from "./format.ts";
import { linePlot } from "./line-plot.ts";
import { linearScale } from "./scale.ts";
import { svgImage, text } from "./svg.ts";

const tally = (value: number, count = 2_000) => ({ count, mean: value, standardError: 0.01 });

function rowOf(id: string, measure: Measure, value: number): Row {
  const cell: Cell = {
    id,
    labels: [id, "a < b"],
    repetitions: { long: 2_000, short: 0 },
    measures: [measure],
    observe: () => [value],
  };
  return { cell, repetitions: 2_000, verdicts: [toVerdict(measure, tally(value))] };
}

describe("a figure", () => {
  test.each([
    [share("", 0.05), 0.05, "5.00 % (3.45–6.65)"],
    [share("", 0.05), 0.2, "20.00 % (3.45–6.65) **out**"],
    [share("", 0.05, "high"), 0.01, "1.00 % (≤ 6.65)"],
    [share("", 0.95, "low"), 0.97, "97.00 % (≥ 93.35)"],
    [shownShare(""), 0.0012, "0.120 %"],
    [mean("", 1, { tolerance: 0.1 }), 1.05, "1.050 (0.8671–1.133)"],
  ])("is shown with its limits, and marked when outside (%#)", (measure, value, expected) => {
    expect(formatVerdict(toVerdict(measure, tally(value)))).toBe(expected);
  });

  test("without repetitions is out, unless it is only shown", () => {
    expect(formatVerdict(toVerdict(share("", 0.05), tally(Number.NaN, 0)))).toBe("none **out**");
    expect(formatVerdict(toVerdict(shownShare(""), tally(Number.NaN, 0)))).toBe("–");
  });
});

describe("the document", () => {
  const inside = rowOf("cell-in", share("p ≤ .05", 0.05), 0.05);
  const outside = rowOf("cell-out", share("p ≤ .05", 0.05), 0.3);
  const section: Section = {
    id: "s",
    title: "Title",
    text: "Words.",
    tables: [
      { caption: "First", heads: ["test", "users"], cells: [inside.cell] },
      { caption: "Second", heads: ["test", "users"], cells: [outside.cell] },
    ],
    figures: () => [{ file: "f.svg", alt: "dots", svg: "<svg/>" }],
  };

  test("has a chapter per section, with its plot and a table of the cells that were run", () => {
    expect(sectionChapter(section, [inside]).markdown.trimEnd()).toBe(
      [
        "## Title",
        "Words.",
        "![dots](calibration/f.svg)",
        "**First**",
        "| test | users | repetitions | p ≤ .05 |\n| --- | --- | --- | --- |\n| cell-in | a < b | 2,000 | 5.00 % (3.45–6.65) |",
      ].join("\n\n"),
    );
  });

  test("says how many figures miss their limits, and which", () => {
    const shown = rowOf("shown", shownShare("p"), 0.9);
    expect(summaryOf([inside, shown])).toBe("1 figures are judged; 0 miss their limits.");
    expect(summaryOf([inside, outside])).toContain("2 figures are judged; 1 misses its limits.");
    expect(summaryOf([inside, outside])).toContain("| `cell-out` | p ≤ .05 |");
  });

  test("is the same for the same rows", () => {
    const write = () => documentOf([sectionChapter(section, [inside, outside])], [inside, outside]);
    expect(write()).toBe(write());
    expect(write()).toContain("# Calibration");
  });
});

describe("a scale", () => {
  test.each([
    [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0.03, 0.07, [0.03, 0.04, 0.05, 0.06, 0.07]],
    [3, 28, [5, 10, 15, 20, 25]],
  ])("from %d to %d has round ticks", (from, to, ticks) => {
    const scale = linearScale([from, to], [100, 200], 5);
    expect(scale.ticks.map((tick) => Number(tick.toPrecision(6)))).toEqual(ticks);
    expect(scale.at(from)).toBe(100);
    expect(scale.at(to)).toBe(200);
  });
});

describe("a plot", () => {
  const inside = rowOf("in", share("p", 0.05), 0.05);
  const outside = rowOf("out", share("p", 0.05), 0.3);

  test("has its own background and escapes its text", () => {
    const svg = svgImage({ width: 10, height: 10, title: "t & u" }, [text("a < b & c", 1, { y: 2 })]);
    expect(svg).toContain('fill="#ffffff"');
    expect(svg).toContain("a &lt; b &amp; c");
    expect(svg).toContain("<title>t &amp; u</title>");
  });

  test("of dots draws every row, its band, and a ring around figures outside", () => {
    const count = (svg: string, part: string) => svg.split(part).length - 1;
    const calm = dotPlot("t", [inside, inside]);
    const alarmed = dotPlot("t", [inside, outside]);
    expect(count(calm, "<circle")).toBe(2);
    expect(count(alarmed, "<circle")).toBe(3);
    expect(count(calm, 'height="12"')).toBe(2);
    expect(calm).not.toContain("NaN");
  });

  test("of lines names every series and the level for comparison", () => {
    const points = [
      [1, 0.1],
      [2, 0.3],
    ] as const;
    const svg = linePlot({
      title: "t",
      xLabel: "day",
      series: [{ name: "first & last", points }],
      reference: { name: "5 %", y: 0.05 },
      xTicks: [[1, "one"]],
    });
    for (const part of ["first &amp; last", "5 %", ">one<", "<polyline", "stroke-dasharray"]) {
      expect(svg).toContain(part);
    }
    expect(svg).not.toContain("NaN");
  });
});
