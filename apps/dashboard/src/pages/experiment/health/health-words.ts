import type { Wire } from "../../../api/types.ts";
import { count, number, pEquals, percent, points } from "../../../format/numbers.ts";
import type { Tone } from "../../../ui/Notice.tsx";

export type HealthCheck = Wire<"HealthCheck">;
type Severity = HealthCheck["severity"];

interface SeverityWords {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: string;
}

/** The severities as words with an icon. */
export const SEVERITIES: Readonly<Record<Severity, SeverityWords>> = {
  critical: { word: "Stops decisions", tone: "bad", icon: "✕" },
  warning: { word: "Needs attention", tone: "warn", icon: "!" },
  info: { word: "Note", tone: "info", icon: "i" },
  "no-data": { word: "No data yet", tone: "quiet", icon: "○" },
  ok: { word: "Passed", tone: "good", icon: "✓" },
};

const WORST_FIRST: readonly Severity[] = ["critical", "warning", "info", "no-data", "ok"];

/** The titles of the checks. */
export const CHECK_TITLES: Readonly<Record<HealthCheck["code"], string>> = {
  srm: "Traffic split",
  "srm-without-test-events": "Traffic split without test users",
  "lost-traces": "Lost traces",
  "runs-left-out": "Runs in no metric",
  "runs-without-end": "Runs without an end",
  "sampled-calls": "Sampled calls",
  "missing-usage": "Calls without token counts",
  "unpriced-calls": "Calls without a price",
  "error-rate": "Failed calls",
  "truncated-answers": "Answers cut off at the token limit",
  "cut-streams": "Streams cut short",
  "other-model": "Answers by another model",
  "cache-hit-gap": "Gap in cache hits between variants",
  "users-in-several-variants": "Users in several variants",
  "late-events": "Late events",
  "future-events": "Events with a future timestamp",
  "variant-conflicts": "Outcomes under another variant",
  "test-events": "Test users",
  "qa-users": "QA users",
  "assignment-conflicts": "Exposures against the bucket map",
  "ineligible-exposures": "Exposures that count for no arm",
  "outcomes-before-exposure": "Outcomes before the exposure",
  "mixed-sources": "Metrics open to the publishable key",
  "misspelt-metrics": "Metrics under another name",
  "superseded-ids": "Event ids used twice",
  "judge-backlog": "Judge backlog",
  "judge-failures": "Failed judgements",
  "judge-agreement": "Agreement of judge and people",
  "judge-bias": "Judge bias between variants",
  "judge-length": "Judge bias toward long answers",
  "judge-cut": "Transcripts judged in part",
};

/** Sorts the checks by severity, worst first; equals keep their order. */
export function worstFirst(checks: readonly HealthCheck[]): readonly HealthCheck[] {
  return checks.toSorted((a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity));
}

/** Returns whether a check needs attention: a finding, or an action that it needs for data. */
export function isFound({ severity, action }: HealthCheck): boolean {
  return severity !== "ok" && (severity !== "no-data" || action !== null);
}

/** Formats the checked number with its threshold: "3.1%, threshold 2%". Null without data. */
export function numberInWords({ measure, value, threshold }: HealthCheck): string | null {
  if (value === null) return null;
  switch (measure) {
    case "share":
      return `${percent(value)}, threshold ${percent(threshold)}`;
    case "gap":
      return `${points(value)} apart, threshold ${points(threshold)}`;
    case "p_value":
      return `${pEquals(value)}, threshold ${number(threshold)}`;
    case "count":
      return `${count(value)}, threshold ${count(threshold)}`;
  }
}

/** Summarizes all checks in one sentence. */
export function summaryOf(checks: readonly HealthCheck[]): string {
  const alarms = checks.filter(({ severity }) => severity === "critical" || severity === "warning").length;
  const split = checks.find(({ code }) => code === "srm");
  if (alarms === 0 && split?.severity === "no-data") return "No data yet: no user has been exposed.";
  if (alarms === 0) return "No check needs attention.";
  return `${count(alarms)} of ${count(checks.length)} checks ${alarms === 1 ? "needs" : "need"} attention.`;
}
