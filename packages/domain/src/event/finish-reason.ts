/** Providers' finish reasons for an answer that ran out of tokens. */
export const TRUNCATED = ["length", "max_tokens", "max_output_tokens", "model_length", "incomplete"] as const;

const NAMES: ReadonlySet<string> = new Set(TRUNCATED);

/** Returns whether an answer ran out of tokens, by the provider's finish reason. */
export function isTruncated(finishReason: string): boolean {
  return NAMES.has(finishReason.toLowerCase());
}
