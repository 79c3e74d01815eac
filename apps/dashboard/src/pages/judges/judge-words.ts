import { count, counted, interval, percent } from "../../format/numbers.ts";
import { ago } from "../../format/times.ts";
import type { Tone } from "../../ui/Notice.tsx";
import type { ArmAgreement, JudgedMetric, Judgement } from "./queries.ts";

interface StateWords {
  readonly word: string;
  readonly tone: Tone;
}

/** Whether a metric is judged, in words; the API's `detail` explains it. */
export const JUDGED_STATES: Readonly<Record<JudgedMetric["state"], StateWords>> = {
  judging: { word: "Judging", tone: "good" },
  "not-configured": { word: "No judge configured", tone: "warn" },
  locked: { word: "Locked by the plan", tone: "warn" },
  "allowance-used": { word: "Allowance used up", tone: "warn" },
  "no-rubric": { word: "No rubric", tone: "warn" },
  "not-running": { word: "Not running", tone: "quiet" },
  "judge-failing": { word: "Judge not responding", tone: "bad" },
};

type Cause = NonNullable<Judgement["cause"]>;

/** Why a judgement failed. */
export const FAILURE_WORDS: Readonly<Record<Cause, string>> = {
  refused: "the judge refused to score it",
  "malformed-answer": "the judge's answer had no score",
  "text-expired": "the call's text was no longer kept",
  rejected: "the judge's endpoint rejected the request",
  "rate-limited": "the judge's endpoint limited the rate of requests",
  "timed-out": "the judge took too long",
  "server-error": "the judge's server had an error",
  unreachable: "the judge could not be reached",
  superseded: "a new version of the metric replaced it",
};

/** Describes failures by cause, the most frequent first: "12 because the judge took too long". */
export function failuresInWords(failures: JudgedMetric["failures"]): readonly string[] {
  return failures
    .toSorted((a, b) => b.count - a.count)
    .map(({ cause, count: times }) => `${count(times)} because ${FAILURE_WORDS[cause]}`);
}

/** Describes a judge's backlog and its age. */
export function backlogInWords(
  { backlog, oldest_pending_at: oldest }: Pick<JudgedMetric, "backlog" | "oldest_pending_at">,
  now: number,
): string {
  if (backlog === 0) return "empty";
  return `${counted(backlog, "judgement")}${oldest === null ? "" : `, the oldest drawn ${ago(oldest, now)}`}`;
}

/** Estimates how long a backlog takes; null without a rate. */
export function timeToGo(backlog: number, perMinute: number): string | null {
  if (backlog === 0 || perMinute <= 0) return null;
  const minutes = Math.ceil(backlog / perMinute);
  return minutes < 90
    ? `about ${counted(minutes, "minute")}`
    : `about ${counted(Math.ceil(minutes / 60), "hour")}`;
}

/** Returns the number of labels of all arms. */
export function labelsOf({ arms }: Pick<JudgedMetric, "arms">): number {
  return Object.values(arms).reduce((sum, { labels }) => sum + labels, 0);
}

/** Describes the labels so far: "120 labels, the latest 9 days ago". */
export function labelledInWords(item: Pick<JudgedMetric, "arms" | "last_labelled_at">, now: number): string {
  const labels = labelsOf(item);
  if (labels === 0 || item.last_labelled_at === null) return "none yet";
  return `${counted(labels, "label")}, the latest ${ago(item.last_labelled_at, now)}`;
}

type Kappa = Pick<ArmAgreement, "kappa" | "ci_low" | "ci_high">;

/** Formats kappa with its 95% CI: "0.62 (0.48 to 0.76)". */
export function kappaInWords({ kappa, ci_low: low, ci_high: high }: Kappa): string {
  if (kappa === null) return "unknown";
  const bounds = interval(low, high, fixed);
  return bounds === null ? fixed(kappa) : `${fixed(kappa)} (${bounds})`;
}

/** Two decimals; a value that rounds to zero has no sign. */
const fixed = (value: number) =>
  value
    .toFixed(2)
    .replace(/^-(0\.00)$/, "$1")
    .replace("-", "\u2212");

/** Returns the name of a kappa range (Landis & Koch 1977). */
export function kappaWord(kappa: number): string {
  if (kappa <= 0) return "no better than chance";
  if (kappa <= 0.2) return "slight";
  if (kappa <= 0.4) return "fair";
  if (kappa <= 0.6) return "moderate";
  return kappa <= 0.8 ? "substantial" : "almost perfect";
}

/** Describes how far the judge agrees with people. */
export function agreementSentence({ labels, agreeing, kappa, ci_low, ci_high }: ArmAgreement): string {
  if (labels === 0) return "No labels yet, so the judge is unchecked.";
  const same = `Judge and people agree on ${count(agreeing)} of ${counted(labels, "labeled answer")} (${percent(agreeing / labels)}).`;
  if (kappa === null)
    return `${same} To measure agreement beyond chance, add more labels, with different scores.`;
  return `${same} Agreement beyond chance is ${kappaWord(kappa)}: kappa = ${kappaInWords({ kappa, ci_low, ci_high })}, with its 95% CI.`;
}

/** Formats a part of a whole: "3 of 40 (7.5%)"; a dash without a whole. */
export function partInWords({ count: part, of }: { readonly count: number; readonly of: number }): string {
  return of === 0 ? "–" : `${count(part)} of ${count(of)} (${percent(part / of, 2)})`;
}

/** Labels that correct the judge, by variant, including variants without any. */
export type DrawnLabels = Readonly<Record<string, number>>;

/** Describes the labels still missing for a correction; variants with enough are left out. */
export function labelsMissing(drawn: DrawnLabels, needed: number): string {
  const missing = Object.entries(drawn).filter(([, labels]) => labels < needed);
  if (missing.length === 0)
    return `Every variant has ${count(needed)} labels or more, enough to correct averages with the default test. More labels make the intervals narrower.`;
  const parts = missing.map(([arm, labels]) => `${count(needed - labels)} for ${arm}`);
  return `Labels still needed: ${parts.join(", ")} (${count(needed)} per variant). Until then, results of this metric are marked “judge opinion”.`;
}
