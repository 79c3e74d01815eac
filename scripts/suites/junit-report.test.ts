import { expect, test } from "vitest";
import { countReports } from "./junit-report.ts";

const PYTEST =
  '<?xml version="1.0"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="2" skipped="3" tests="20" time="1.5"><testcase name="a &gt; b"/></testsuite></testsuites>';
const SUREFIRE =
  '<testsuite xmlns:xsi="x" version="3.0" name="dev.assay.JsonTest" time="0.1" tests="5" errors="0" skipped="1" failures="0">\n</testsuite>';

test("the tests of all reports are added up", () => {
  expect(countReports([PYTEST, SUREFIRE], false)).toEqual({ passed: 18, failed: 3, skipped: 4 });
});

test("a runner that failed without a failed test counts as a failure", () => {
  expect(countReports([SUREFIRE], false)).toEqual({ passed: 4, failed: 1, skipped: 1 });
  expect(countReports([SUREFIRE], true)).toEqual({ passed: 4, failed: 0, skipped: 1 });
});

test("a run that ends without a test counts as a failure", () => {
  expect(countReports([], true)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});
