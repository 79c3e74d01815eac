import type { ModelCallFacts, Reading } from "./model-call-format.ts";
import { providerAt } from "./provider-name.ts";

/** Finish reasons of an answer that does not say how it ended: none, or the status of a response in the background. */
const OPEN = /^(queued|in_progress)?$/;

/**
 * Completes the facts of a call that has ended: adds the provider's name, and estimates the tokens that a stream cut short did not report.
 * Returns the outcome; null for a call that ended by itself. Pages load this later, so it imports nothing that they already have.
 */
export function completeFacts(
  { facts, baseUrl }: Reading,
  isStream: boolean,
  isAborted: unknown,
  maxTextBytes: number,
): "aborted" | "background" | null {
  facts.provider = providerAt(baseUrl) ?? facts.provider;
  const isOpen = OPEN.test(facts.finish_reason ?? "");
  if (isOpen && isStream) estimateUsage(facts, maxTextBytes);
  if (isAborted) return "aborted";
  // A whole answer without an end is that of a response in the background.
  return isOpen && !isStream && facts.finish_reason ? "background" : null;
}

/** Estimates the tokens that a stream cut short did not report: one for every 4 bytes of text. */
function estimateUsage(facts: ModelCallFacts, maxTextBytes: number): void {
  const output = facts.output_tokens == null && estimateTokens(facts.response, maxTextBytes);
  if (!output) return;
  facts.output_tokens = output;
  facts.input_tokens ??= estimateTokens(facts.prompt, maxTextBytes) || undefined;
  facts.usage_estimated = true;
}

/** 0 without a text, or for a text that was cut at its limit. */
function estimateTokens(text: string | null | undefined, maxTextBytes: number): number {
  const bytes = new TextEncoder().encode(text ?? "").length;
  return bytes > maxTextBytes ? 0 : Math.ceil(bytes / 4);
}
