import type { Day, Experiment } from "@assay/domain";

/** What the judge's endpoint does at the moment. */
export interface JudgeStatus {
  /** Null: `ASSAY_JUDGE_URL` and `ASSAY_JUDGE_MODEL` are not set. */
  readonly model: string | null;
  /** Why it gives no scores at all, since when (epoch milliseconds); null: it does, or was not asked. */
  readonly fault: { readonly detail: string; readonly since: number } | null;
  /** Scores per minute over the last five minutes. */
  readonly perMinute: number;
}

/** Draws calls of the days that are over and has them judged. */
export interface Judging {
  /** As of a few seconds ago, of all processes. */
  status(): Promise<JudgeStatus>;
  /**
   * Draws from a day's calls of these experiments what is not drawn yet, and waits until their judgements are made: at most
   * `timeoutMs`, and not for those that are postponed. Without a judge nothing happens.
   */
  judgeDay(
    day: Day,
    experiments: readonly Experiment[],
    options: { readonly timeoutMs: number },
  ): Promise<void>;
  /** Looks for judgements at once instead of at the next round; nothing happens in a process that does not judge. */
  wake(): void;
}
