import type { ExperimentOverview, ExperimentState } from "../api/types.ts";
import type { Tone } from "../ui/Notice.tsx";
import { sum } from "./numbers.ts";

interface StateWords {
  readonly word: string;
  readonly tone: Tone;
  /** Precedes the word, so that a badge never relies on color alone. */
  readonly icon: string;
  /** What it means and what to do. */
  readonly meaning: string;
}

/** The badge and meaning of every state. */
export const STATES: Readonly<Record<ExperimentState, StateWords>> = {
  draft: {
    word: "Draft",
    tone: "quiet",
    icon: "✎",
    meaning: "Not assigning users yet. Start it when the setup is complete.",
  },
  "no-traffic": {
    word: "No traffic",
    tone: "warn",
    icon: "○",
    meaning: "Running, but no users yet. Check that your application requests this experiment.",
  },
  collecting: {
    word: "Collecting",
    tone: "quiet",
    icon: "…",
    meaning: "Results appear after the nightly run once every variant has about 200 evaluated events.",
  },
  failed: {
    word: "Last run failed",
    tone: "bad",
    icon: "!",
    meaning: "The nightly run failed. Open the experiment to see why.",
  },
  withheld: {
    word: "Results withheld: traffic split is off",
    tone: "warn",
    icon: "⊘",
    meaning:
      "Users are not split as allocated, so any difference could come from who was counted. Find the cause.",
  },
  "data-fault": {
    word: "Data fault: not ready to decide",
    tone: "bad",
    icon: "⊘",
    meaning:
      "A fault in the events touches 1% of the users or more, so the results cannot decide yet. Data health names the fault and what to do.",
  },
  "guardrail-failing": {
    word: "Guardrail failing",
    tone: "bad",
    icon: "▼",
    meaning: "A guardrail metric got worse. Check it first.",
  },
  running: { word: "Running", tone: "info", icon: "●", meaning: "No clear difference yet. Let it run." },
  winning: {
    word: "Winning",
    tone: "good",
    icon: "▲",
    meaning: "A variant is better on the primary metric, but the planned amount of data is not reached yet.",
  },
  losing: {
    word: "Losing",
    tone: "bad",
    icon: "▼",
    meaning: "A variant is worse on the primary metric. Consider stopping; that is a result too.",
  },
  "ready-to-decide": {
    word: "Ready to decide",
    tone: "info",
    icon: "◆",
    meaning:
      "A variant is better, or cheaper and not worse by more than accepted, and there is enough data: the planned amount, or a difference so clear that it holds at any time.",
  },
  "no-difference": {
    word: "No difference found",
    tone: "quiet",
    icon: "=",
    meaning:
      "The planned amount of data shows no clear difference. The intervals show what is still possible.",
  },
  stopped: { word: "Stopped", tone: "quiet", icon: "■", meaning: "No longer assigns users." },
  "stopped-won": {
    word: "Stopped: won",
    tone: "good",
    icon: "■",
    meaning: "Stopped, and a variant was chosen.",
  },
  "stopped-lost": {
    word: "Stopped: lost",
    tone: "quiet",
    icon: "■",
    meaning: "Stopped: the change did not help.",
  },
  "stopped-inconclusive": {
    word: "Stopped: inconclusive",
    tone: "quiet",
    icon: "■",
    meaning: "Stopped without a clear difference.",
  },
  "stopped-invalid": {
    word: "Stopped: invalid",
    tone: "warn",
    icon: "■",
    meaning: "Stopped because its data cannot be trusted.",
  },
  archived: {
    word: "Archived",
    tone: "quiet",
    icon: "▣",
    meaning: "Archived: it assigns no users and is hidden from the list.",
  },
};

/** Counts the users of all variants. */
export function usersOf({ users }: Pick<ExperimentOverview, "users">): number {
  return sum(Object.values(users));
}
