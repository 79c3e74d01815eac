import { expect, test } from "vitest";
import { exitCodeOf, toJunit, toMarkdown, type WireRehearsal } from "./print-rehearsal.ts";

type Verdict = WireRehearsal["report"]["verdicts"][number]["verdict"];

const rehearsalOf = (...verdicts: readonly Verdict[]) =>
  ({
    ...{ id: "r-1", state: "done", ended_because: "enough", inputs: 200, spent_usd: 0.5, budget_usd: 2 },
    progress: { finished_inputs: 120, requests: [] },
    report: {
      verdicts: verdicts.map((verdict, i) => ({
        ...{ treatment: `t<${i}> & "co"|x`, verdict, fault: null, is_cheaper: false },
        detail: "Preferred by\u0007\uFFFE 0.1 <b>.",
      })),
      rows: [
        {
          ...{ metric: "preference", treatment: "t", inputs: 120, clusters: 100, control_value: null },
          ...{ treatment_value: null, effect: 0.125, ci_low: 0.05, ci_high: 0.2, p_value: 0.0012 },
        },
      ],
    },
  }) as unknown as WireRehearsal;

test.each([
  { verdicts: ["not-worse", "not-worse"], code: 0 },
  { verdicts: ["not-worse", "undecided"], code: 2 },
  { verdicts: ["undecided", "invalid"], code: 3 },
  { verdicts: ["invalid", "worse", "not-worse"], code: 1 },
] as const)("$verdicts end with $code", ({ verdicts, code }) => {
  expect(exitCodeOf(rehearsalOf(...verdicts))).toBe(code);
});

test("JUnit has a case for each treatment, and no text ends it", () => {
  expect(toJunit(rehearsalOf("not-worse", "worse", "invalid"))).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="1">
  <testsuite name="rehearsal r-1" tests="3" failures="1" errors="1">
    <testcase classname="rehearsal" name="t&lt;0&gt; &amp; &quot;co&quot;|x is not worse than control"/>
    <testcase classname="rehearsal" name="t&lt;1&gt; &amp; &quot;co&quot;|x is not worse than control"><failure type="worse" message="Preferred by   0.1 &lt;b&gt;."/></testcase>
    <testcase classname="rehearsal" name="t&lt;2&gt; &amp; &quot;co&quot;|x is not worse than control"><error type="invalid" message="Preferred by   0.1 &lt;b&gt;."/></testcase>
  </testsuite>
</testsuites>
`,
  );
});

test("Markdown has a table, and names stay in their cells", () => {
  const lines = toMarkdown(rehearsalOf("worse")).split("\n");
  expect(lines[2]).toMatch(/^- \*\*t\\<0\\> \\& "co"\\\|x: worse\*\*\. Preferred by/);
  expect(lines).toContain("| preference | t | 120 |  |  | 0.125 | 0.05 … 0.2 | 0.0012 |");
  expect(lines.at(-2)).toBe("120 of 200 inputs, $0.50 of $2.00 spent (done: enough).");
});
