import type { ArmVerdict, RehearsalReport } from "./report.ts";

/**
 * Writes a report as JUnit XML, one test case per treatment: `worse` is a failure, `invalid` an error, `undecided` is skipped. Names of arms
 * are escaped, and characters that XML lacks are left out.
 */
export function reportAsJunit({ verdicts }: Pick<RehearsalReport, "verdicts">): string {
  const count = (verdict: ArmVerdict["verdict"]) => verdicts.filter((one) => one.verdict === verdict).length;
  const counts = {
    tests: verdicts.length,
    failures: count("worse"),
    errors: count("invalid"),
    skipped: count("undecided"),
  };
  const totals = Object.entries(counts).map(([name, value]) => `${name}="${value}"`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites><testsuite name="rehearsal" ${totals.join(" ")}>`,
    ...verdicts.map(testCase),
    "</testsuite></testsuites>\n",
  ].join("\n");
}

function testCase({ treatment, verdict, fault, detail }: ArmVerdict): string {
  const message = escapeXml(detail);
  const outcomes = {
    "not-worse": `<system-out>${message}</system-out>`,
    worse: `<failure type="worse" message="${message}"/>`,
    undecided: `<skipped message="${message}"/>`,
    invalid: `<error type="${fault ?? "invalid"}" message="${message}"/>`,
  };
  return `<testcase classname="rehearsal" name="${escapeXml(treatment)}">${outcomes[verdict]}</testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" },
  ...{ "\t": "&#9;", "\n": "&#10;", "\r": "&#13;" },
};

/** Leaves out what no XML 1.0 document may have, even escaped: other control characters, lone surrogates, U+FFFE and U+FFFF. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll(/[&<>"'\t\n\r]/g, (character) => ENTITIES[character]!);
}
