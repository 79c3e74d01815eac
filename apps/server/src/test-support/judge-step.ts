/** What happens to one request; whatever is absent is as in good times. */
export interface JudgeStep {
  /** Before anything else happens; default 0. */
  readonly latencyMs?: number;
  /** Refuses with this status, at no charge. */
  readonly status?: number;
  /** The header of a refusal: seconds or a date. */
  readonly retryAfter?: string;
  /** The fields of a refusal: `message`, `code`, `param`. */
  readonly error?: Readonly<Record<string, unknown>>;
  /** Never answers; or cuts the line before the request is taken, or after it is charged, instead of answering. */
  readonly line?: "hang" | "cut-before" | "cut-after";
  /** The text of the answer instead of a judgement. */
  readonly content?: string;
  readonly refusal?: string;
  readonly finishReason?: string;
  /** The body of a 200, instead of a completion. */
  readonly body?: string;
}
