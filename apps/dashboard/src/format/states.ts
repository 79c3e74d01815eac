import type { ExperimentOverview, ExperimentState } from "../api/types.ts";
import type { Tone } from "../ui/Notice.tsx";

interface StateWords {
  readonly word: string;
  readonly tone: Tone;
  /** Before the word, so that no badge rests on colour alone. */
  readonly icon: string;
  /** What it means and what to do, in one sentence. */
  readonly meaning: string;
}

/** The badge of every state, and what it means. */
export const STATES: Readonly<Record<ExperimentState, StateWords>> = {
  draft: {
    word: "Draft",
    tone: "quiet",
    icon: "✎",
    meaning: "Assigns nobody yet: start it when its setup is right.",
  },
  "no-traffic": {
    word: "No traffic",
    tone: "warn",
    icon: "○",
    meaning: "Running, but no user has been seen: check that your application asks for this experiment.",
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
    meaning: "The nightly run could not be computed: open the experiment for the reason.",
  },
  withheld: {
    word: "Results withheld: traffic split is off",
    tone: "warn",
    icon: "⊘",
    meaning:
      "Users are not split as allocated, so any difference could come from who was counted: find the cause.",
  },
  "guardrail-failing": {
    word: "Guardrail failing",
    tone: "bad",
    icon: "▼",
    meaning: "A metric that must not get worse did: look at it before anything else.",
  },
  running: { word: "Running", tone: "info", icon: "●", meaning: "No clear difference yet: let it run." },
  winning: {
    word: "Winning",
    tone: "good",
    icon: "▲",
    meaning: "A variant is better on the primary metric; the planned amount of data is not there yet.",
  },
  losing: {
    word: "Losing",
    tone: "bad",
    icon: "▼",
    meaning: "A variant is worse on the primary metric: consider stopping it. Knowing that is a result too.",
  },
  "ready-to-decide": {
    word: "Ready to decide",
    tone: "info",
    icon: "◆",
    meaning:
      "A variant is better, or cheaper and not worse by more than accepted, and the data is enough: as much as planned, or so clear that it holds whenever one looks.",
  },
  "no-difference": {
    word: "No difference found",
    tone: "quiet",
    icon: "=",
    meaning:
      "The planned amount of data shows no clear difference: the intervals say what is still possible.",
  },
  stopped: { word: "Stopped", tone: "quiet", icon: "■", meaning: "Assigns nobody any more." },
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
    meaning: "Stopped, and control was kept: the change did not help.",
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
};

/** Counts the users of all variants. */
export function usersOf({ users }: Pick<ExperimentOverview, "users">): number {
  return Object.values(users).reduce((sum, value) => sum + value, 0);
}
