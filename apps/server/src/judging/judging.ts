import type { Day, Experiment } from "@assay/domain";
import type { JudgeQuestion, JudgeReply } from "./judge-endpoint.ts";

/** The current state of the judge's endpoint. */
export interface JudgeStatus {
  /** Null when `ASSAY_JUDGE_URL` and `ASSAY_JUDGE_MODEL` are not set. */
  readonly model: string | null;
  /** Why it gives no scores at all, and since when (epoch milliseconds); null when it does or was not asked. */
  readonly fault: { readonly detail: string; readonly since: number } | null;
  /** Scores per minute over the last five minutes. */
  readonly perMinute: number;
}

/** Draws calls of finished days and has them judged. */
export interface Judging {
  /** The state over all processes, a few seconds old. */
  status(): Promise<JudgeStatus>;
  /**
   * Draws a day's calls of these experiments, unless they are already drawn, and waits for their judgements: at most
   * `timeoutMs`, and not for postponed ones. Does nothing without a judge.
   */
  judgeDay(
    day: Day,
    experiments: readonly Experiment[],
    options: { readonly timeoutMs: number },
  ): Promise<void>;
  /** Asks the judge about an answer outside of any judgement. Needs a judge (`status().model` is not null). */
  ask(question: Pick<JudgeQuestion, "judge" | "judged">, signal: AbortSignal): Promise<JudgeReply>;
  /** Looks for judgements now instead of in the next round. Does nothing in a process that does not judge. */
  wake(): void;
}
