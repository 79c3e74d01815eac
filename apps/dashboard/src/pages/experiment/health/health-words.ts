import type { Wire } from "../../../api/types.ts";
import { count, number, percent, pValue } from "../../../format/numbers.ts";
import type { Tone } from "../../../ui/Notice.tsx";

export type HealthCheck = Wire<"HealthCheck">;
type Severity = HealthCheck["severity"];

interface SeverityWords {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: string;
}

/** How bad a check is, as a word with a sign. */
export const SEVERITIES: Readonly<Record<Severity, SeverityWords>> = {
  critical: { word: "Results withheld", tone: "bad", icon: "✕" },
  warning: { word: "Look at this", tone: "warn", icon: "!" },
  info: { word: "Noted", tone: "info", icon: "i" },
  "no-data": { word: "Nothing to judge yet", tone: "quiet", icon: "○" },
  ok: { word: "Fine", tone: "good", icon: "✓" },
};

const WORST_FIRST: readonly Severity[] = ["critical", "warning", "info", "no-data", "ok"];

/** What each check looks at. */
export const CHECK_TITLES: Readonly<Record<HealthCheck["code"], string>> = {
  srm: "Traffic split",
  "srm-without-test-events": "Traffic split without test users",
  "missing-usage": "Calls without token counts",
  "unpriced-calls": "Calls without a price",
  "error-rate": "Failed calls",
  "truncated-answers": "Answers cut off at the token limit",
  "other-model": "Answers by another model",
  "cache-hit-gap": "Gap in cache hits between variants",
  "users-in-several-variants": "Users in several variants",
  "late-events": "Events that arrive late",
  "future-events": "Events from the future",
  "variant-conflicts": "Outcomes under another variant",
  "test-events": "Test users",
  "judge-backlog": "Calls that wait for the judge",
  "judge-failures": "Judgements that failed",
  "judge-agreement": "Judge against people",
  "judge-bias": "Judge that favours a variant",
  "judge-length": "Judge that favours long answers",
};

/** Returns the checks, those that need somebody first; equals in the order given. */
export function worstFirst(checks: readonly HealthCheck[]): readonly HealthCheck[] {
  return checks.toSorted((a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity));
}

/** Tells whether a check has something to say: a fault, or what to do so that it can be judged. */
export function isFound({ severity, action }: HealthCheck): boolean {
  return severity !== "ok" && (severity !== "no-data" || action !== null);
}

/** Writes the number that was judged beside the threshold: "3.1 %, alarm from 2 % on". Null without data. */
export function numberInWords({ measure, value, threshold }: HealthCheck): string | null {
  if (value === null) return null;
  switch (measure) {
    case "share":
      return `${percent(value)}, alarm from ${percent(threshold)} on`;
    case "gap":
      return `${points(value)} apart, alarm from ${points(threshold)} on`;
    case "p_value":
      return `p ${value < 0.0001 ? pValue(value) : `= ${pValue(value)}`}, alarm below ${number(threshold)}`;
    case "count":
      return `${count(value)}, noted from ${count(threshold)} on`;
  }
}

/** Sums up all checks in one sentence. */
export function summaryOf(checks: readonly HealthCheck[]): string {
  const alarms = checks.filter(({ severity }) => severity === "critical" || severity === "warning").length;
  const split = checks.find(({ code }) => code === "srm");
  if (alarms === 0 && split?.severity === "no-data")
    return "There is nothing to judge yet: no user has been exposed.";
  if (alarms === 0) return "No check raises an alarm.";
  return `${count(alarms)} of ${count(checks.length)} checks ${alarms === 1 ? "needs" : "need"} a look.`;
}

function points(share: number): string {
  return `${number(share * 100)}\u00a0points`;
}
