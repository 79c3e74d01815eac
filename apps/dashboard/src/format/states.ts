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
  held: {
    word: "Held",
    tone: "bad",
    icon: "❚❚",
    meaning:
      "Nobody gets a variant until the experiment is resumed. Assignments are kept, and results leave out what happens during the hold.",
  },
  "no-traffic": {
    word: "No traffic",
    tone: "warn",
    icon: "○",
    meaning:
      "Running, but no users yet. Check that your application requests this experiment, or that the exposures to its flag arrive.",
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
    word: "Withheld: split is off",
    tone: "warn",
    icon: "⊘",
    meaning:
      "Users are not split as allocated, so any difference could come from who was counted. Find the cause.",
  },
  "traces-lost": {
    word: "Withheld: traces lost",
    tone: "warn",
    icon: "⊘",
    meaning:
      "One variant's traces reach Assay less often than another's, so the missing calls may differ from those that arrived. Find the cause.",
  },
  "data-fault": {
    word: "Data fault",
    tone: "bad",
    icon: "⊘",
    meaning:
      "A fault in the events affects 1% of the users or more, so nothing can be decided yet. Data health names the fault and what to do.",
  },
  "guardrail-failing": {
    word: "Guardrail failing",
    tone: "bad",
    icon: "▼",
    meaning: "A guardrail metric got worse, by evidence that holds at any look. Check it first.",
  },
  running: {
    word: "Running",
    tone: "info",
    icon: "●",
    meaning: "Nothing was found to be better: the planned looks are not over, or a margin is not settled.",
  },
  winning: {
    word: "Winning",
    tone: "good",
    icon: "▲",
    meaning: "A variant is ahead, but it is too early to decide by the plan.",
  },
  "better-guardrail-open": {
    word: "Better, guardrail open",
    tone: "quiet",
    icon: "▲",
    meaning: "A variant is better, but by the plan it cannot be shipped yet: a margin is not settled.",
  },
  mixed: {
    word: "Mixed",
    tone: "warn",
    icon: "±",
    meaning: "Better on one metric, significantly worse on another. Weigh the two.",
  },
  losing: {
    word: "Losing",
    tone: "bad",
    icon: "▼",
    meaning:
      "A variant is worse on a deciding metric, by evidence that holds at any look. Consider stopping; that is a result too.",
  },
  "ready-to-decide": {
    word: "Ready to decide",
    tone: "info",
    icon: "◆",
    meaning:
      "At the decision look, a variant was better, or cheaper without losing more than accepted. Every margin was met, and nothing was significantly worse.",
  },
  "no-difference": {
    word: "No improvement found",
    tone: "quiet",
    icon: "=",
    meaning:
      "The planned looks are over: nothing was found to be better, and no margin is open. The intervals show what is still possible.",
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
  shipped: {
    word: "Shipped",
    tone: "good",
    icon: "▲",
    meaning:
      "Shipped: everybody gets one variant, except users in a holdback. The experiment counts no new users.",
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
