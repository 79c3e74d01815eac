import { describe, expect, test } from "vitest";
import type { ArmVerdict, RehearsalReport, RehearsalRow } from "./report.ts";
import { reportAsJunit } from "./report-as-junit.ts";
import { reportAsMarkdown } from "./report-as-markdown.ts";

function verdict(own: Partial<ArmVerdict>): ArmVerdict {
  return { treatment: "new", verdict: "not-worse", fault: null, isCheaper: false, detail: "Found.", ...own };
}

function row(own: Partial<RehearsalRow>): RehearsalRow {
  return {
    ...{ metric: "preference", treatment: "new", inputs: 400, clusters: 390 },
    ...{ controlValue: null, treatmentValue: null, effect: 0.1234, ciLow: 0.0512, ciHigh: 0.2 },
    ...{ alwaysValidLow: 0, alwaysValidHigh: 0.3, pValue: 0.001, adjustedPValue: 0.004321 },
    ...{ isSignificant: true, isCorrected: false, picks: 60 },
    ...own,
  };
}

function report(own: Partial<RehearsalReport>): RehearsalReport {
  return { verdicts: [verdict({})], rows: [row({})], orderBias: null, isEnough: true, ...own };
}

/** What Markdown, HTML or a table would read as more than text. */
const NASTY = "a|b\n# <img src=x> [x](javascript:y) *b* `c` \\ @all &lt;\u2028";

describe("as Markdown", () => {
  test("shows verdicts, rows and the order bias", () => {
    const text = reportAsMarkdown(
      report({
        verdicts: [verdict({ isCheaper: true }), verdict({ treatment: "other", verdict: "undecided" })],
        rows: [
          row({ isCorrected: true }),
          row({
            ...{ metric: "length", controlValue: 80, treatmentValue: 79.99, effect: -0.01 },
            ...{ ciLow: null, ciHigh: null, adjustedPValue: null, isSignificant: false },
          }),
          row({ ciHigh: null, effect: null }),
        ],
        orderBias: { estimate: 0.3, low: 0.2512, high: 0.35, inconsistentShare: 0.284 },
      }),
    );
    expect(text).toBe(`## Rehearsal

- **new**: not worse and cheaper. Found.
- **other**: undecided. Found.

| metric | treatment | control's | treatment's | effect | 95% CI | corrected p | inputs |
| --- | --- | --- | --- | --- | --- | --- | --- |
| preference (corrected by 60 blind picks) | new | – | – | **0.123** | 0.0512 to 0.2 | 0.00432 | 400 |
| length | new | 80 | 80 | -0.01 | – | – | 400 |
| preference | new | – | – | **–** | – | 0.00432 | 400 |

The judge prefers the answer that it sees first by 0.30 (95% CI 0.25 to 0.35); 28% of the pairs contradict each other.
`);
  });

  test("leaves out an order bias that is not known", () => {
    expect(reportAsMarkdown(report({}))).not.toContain("The judge");
  });

  test("escapes names", () => {
    const text = reportAsMarkdown(
      report({ verdicts: [verdict({ treatment: NASTY })], rows: [row({ treatment: NASTY })] }),
    );
    const escaped =
      "a\\|b \\# \\<img src=x\\> \\[x\\]\\(javascript\\:y\\) \\*b\\* \\`c\\` \\\\ \\@all \\&lt; ";
    expect(text.split(escaped)).toHaveLength(3);
    expect(text.split("\n")).toHaveLength(reportAsMarkdown(report({})).split("\n").length);
  });
});

describe("as JUnit", () => {
  test("has a test case per treatment", () => {
    const verdicts = [
      verdict({}),
      verdict({ treatment: "b", verdict: "worse" }),
      verdict({ treatment: "c", verdict: "undecided" }),
      verdict({ treatment: "d", verdict: "invalid", fault: "judge-failed" }),
      verdict({ treatment: "e", verdict: "invalid" }),
    ];
    expect(reportAsJunit({ verdicts })).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="rehearsal" tests="5" failures="1" errors="2" skipped="1">
<testcase classname="rehearsal" name="new"><system-out>Found.</system-out></testcase>
<testcase classname="rehearsal" name="b"><failure type="worse" message="Found."/></testcase>
<testcase classname="rehearsal" name="c"><skipped message="Found."/></testcase>
<testcase classname="rehearsal" name="d"><error type="judge-failed" message="Found."/></testcase>
<testcase classname="rehearsal" name="e"><error type="invalid" message="Found."/></testcase>
</testsuite></testsuites>
`);
  });

  test("escapes names, and drops what XML cannot hold", () => {
    const treatment = `<a href="x">&'\t\n\r\u0000\u001b\ud800\ufffe😀`;
    expect(reportAsJunit({ verdicts: [verdict({ treatment })] })).toContain(
      'name="&lt;a href=&quot;x&quot;&gt;&amp;&apos;&#9;&#10;&#13;😀"',
    );
  });
});
