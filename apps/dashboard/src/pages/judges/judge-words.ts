import { count, counted, interval, percent } from "../../format/numbers.ts";
import { ago } from "../../format/times.ts";
import type { Tone } from "../../ui/Notice.tsx";
import type { ArmAgreement, JudgedMetric, Judgement } from "./queries.ts";

interface StateWords {
  readonly word: string;
  readonly tone: Tone;
}

/** Whether a metric's calls are judged, as a word; `detail` of the API says why, and what to do. */
export const JUDGED_STATES: Readonly<Record<JudgedMetric["state"], StateWords>> = {
  judging: { word: "Judging", tone: "good" },
  "not-configured": { word: "No judge is set up", tone: "warn" },
  locked: { word: "Locked by the plan", tone: "warn" },
  "allowance-used": { word: "Allowance used up", tone: "warn" },
  "no-rubric": { word: "No rubric", tone: "warn" },
  "not-running": { word: "Not running", tone: "quiet" },
  "judge-failing": { word: "The judge does not answer", tone: "bad" },
};

type Cause = NonNullable<Judgement["cause"]>;

/** Why a judgement failed. */
export const FAILURE_WORDS: Readonly<Record<Cause, string>> = {
  refused: "the judge refused to score it",
  "malformed-answer": "the judge's answer had no score",
  "text-expired": "the call's text was no longer kept",
  rejected: "the judge's endpoint rejected the request",
  "rate-limited": "the judge's endpoint allowed too few requests",
  "timed-out": "the judge took too long",
  "server-error": "the judge's server had a fault",
  unreachable: "the judge could not be reached",
  superseded: "a new version of the metric took its place before",
};

/** Writes failures by cause, the most frequent first: "12 because the judge took too long". */
export function failuresInWords(failures: JudgedMetric["failures"]): readonly string[] {
  return failures
    .toSorted((a, b) => b.count - a.count)
    .map(({ cause, count: times }) => `${count(times)} because ${FAILURE_WORDS[cause]}`);
}

/** Writes what waits for the judge, and since when. */
export function backlogInWords(
  { backlog, oldest_pending_at: oldest }: Pick<JudgedMetric, "backlog" | "oldest_pending_at">,
  now: number,
): string {
  if (backlog === 0) return "nothing waits";
  return `${counted(backlog, "judgement")}${oldest === null ? "" : `, the oldest drawn ${ago(oldest, now)}`}`;
}

/** Writes how long a backlog takes at a rate; null when that cannot be told. */
export function timeToGo(backlog: number, perMinute: number): string | null {
  if (backlog === 0 || perMinute <= 0) return null;
  const minutes = Math.ceil(backlog / perMinute);
  return minutes < 90
    ? `about ${counted(minutes, "minute")}`
    : `about ${counted(Math.ceil(minutes / 60), "hour")}`;
}

/** Sums up the labels of all arms. */
export function labelsOf({ arms }: Pick<JudgedMetric, "arms">): number {
  return Object.values(arms).reduce((sum, { labels }) => sum + labels, 0);
}

/** Writes how much has been labelled: "120 labels, the last 9 days ago". */
export function labelledInWords(item: Pick<JudgedMetric, "arms" | "last_labelled_at">, now: number): string {
  const labels = labelsOf(item);
  if (labels === 0 || item.last_labelled_at === null) return "nobody has labelled an answer yet";
  return `${counted(labels, "label")}, the last ${ago(item.last_labelled_at, now)}`;
}

type Kappa = Pick<ArmAgreement, "kappa" | "ci_low" | "ci_high">;

/** Writes kappa with its 95 % interval: "0.62 (0.48 to 0.76)". */
export function kappaInWords({ kappa, ci_low: low, ci_high: high }: Kappa): string {
  if (kappa === null) return "not known yet";
  const bounds = interval(low, high, fixed);
  return bounds === null ? fixed(kappa) : `${fixed(kappa)} (${bounds})`;
}

const fixed = (value: number) => value.toFixed(2).replace("-", "\u2212");

/** What a kappa is called (Landis & Koch 1977). */
export function kappaWord(kappa: number): string {
  if (kappa <= 0) return "no better than chance";
  if (kappa <= 0.2) return "slight";
  if (kappa <= 0.4) return "fair";
  if (kappa <= 0.6) return "moderate";
  return kappa <= 0.8 ? "substantial" : "almost perfect";
}

/** Says in a sentence or two how far the judge agrees with people. */
export function agreementSentence({ labels, agreeing, kappa, ci_low, ci_high }: ArmAgreement): string {
  if (labels === 0) return "Nobody has labelled an answer yet: what the judge says is an opinion.";
  const same = `Judge and people say the same of ${count(agreeing)} of ${counted(labels, "labelled answer")} (${percent(agreeing / labels)}).`;
  if (kappa === null) return `${same} Agreement beyond chance needs more labels, and more than one kind.`;
  return `${same} Beyond chance the agreement is ${kappaWord(kappa)}: kappa ${kappaInWords({ kappa, ci_low, ci_high })}, 95\u00a0% interval in brackets.`;
}

/** Writes a part of a whole: "3 of 40 (7.5 %)"; a dash when there is no whole. */
export function partInWords({ count: part, of }: { readonly count: number; readonly of: number }): string {
  return of === 0 ? "–" : `${count(part)} of ${count(of)} (${percent(part / of, 2)})`;
}

/** Labels that correct the judge, by variant; those that nobody has labelled yet among them. */
export type DrawnLabels = Readonly<Record<string, number>>;

/** Says what is still missing before effects are corrected; variants that have enough are left out. */
export function labelsMissing(drawn: DrawnLabels, needed: number): string {
  const missing = Object.entries(drawn).filter(([, labels]) => labels < needed);
  if (missing.length === 0)
    return `Every variant has ${count(needed)} labels or more: nightly runs correct the judge with them. More labels make the intervals narrower.`;
  const parts = missing.map(([arm, labels]) => `${count(needed - labels)} of ${arm}`);
  return `${parts.join(", ")} still to label, to reach ${count(needed)} of each variant. Until then results of this metric are marked “judge opinion”.`;
}
