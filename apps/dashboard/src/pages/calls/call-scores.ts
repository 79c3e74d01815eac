import type { StoredEventSummary } from "../../api/types.ts";
import { scoreInWords } from "../../format/judge-words.ts";

type CallScore = StoredEventSummary["scores"][number];

/** Keeps the scores of each metric's newest version. Earlier ones are not comparable. */
export function currentScores<Score extends { readonly metric: string; readonly metric_version: number }>(
  scores: readonly Score[],
): readonly Score[] {
  const newest = new Map<string, number>();
  for (const { metric, metric_version: version } of scores)
    newest.set(metric, Math.max(version, newest.get(metric) ?? version));
  return scores.filter(({ metric, metric_version }) => newest.get(metric) === metric_version);
}

/** Formats the judges' scores of a call: "pass", or "helpful: pass, tone: 4 of 5" for several metrics. Null: no judge scores it. */
export function scoresInWords(scores: readonly CallScore[]): string | null {
  const current = currentScores(scores);
  if (current.length === 0) return null;
  return current
    .map((score) => (current.length === 1 ? wordOf(score) : `${score.metric}: ${wordOf(score)}`))
    .join(", ");
}

function wordOf({ state, score, scale }: CallScore): string {
  return score === null ? (state === "failed" ? "failed" : "pending") : scoreInWords(scale, score);
}
