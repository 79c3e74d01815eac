import { chatTurns } from "./chat-turns.ts";
import { cutPrompts, hasPartOf } from "./cut-prompts.ts";

/** The part of a call that a judge may see. */
export interface BlindCall {
  /** The user's question; null if it is not known, or cannot be separated from the variant's prompt. */
  readonly input: string | null;
  /** An answer that is known to be good. Only rehearsals have some. */
  readonly reference?: string | null;
  readonly answer: string;
}

/** Only prompts of at least this length are removed from answers, because shorter ones may be ordinary words. */
const MIN_CUT_FROM_ANSWER = 24;

/**
 * Removes what would reveal the variant to the judge: system messages, and every variant's prompt wherever it appears. Prompts may have the form that the client libraries log (`role: text`) or be JSON of a provider's messages.
 */
export function blindCall(
  call: { readonly prompt: string | null; readonly response: string },
  variantPrompts: readonly (string | null)[],
): BlindCall {
  const prompts = variantPrompts.filter(
    (prompt) => prompt !== null && prompt.trim() !== "",
  ) as readonly string[];
  const long = prompts.filter((prompt) => prompt.trim().length >= MIN_CUT_FROM_ANSWER);
  return {
    input: call.prompt === null ? null : blindInput(call.prompt, prompts),
    answer: cutPrompts(call.response, long, "[…]"),
  };
}

function blindInput(prompt: string, prompts: readonly string[]): string | null {
  const turns = chatTurns(prompt, (text) => cutPrompts(text, prompts, ""));
  if (turns === null) return null;
  const kept = turns.map(({ role, text }) => ({ role, text: text.trim() })).filter(({ text }) => text !== "");
  const [only, ...more] = kept;
  const input =
    more.length === 0 && only?.role === "user"
      ? only.text
      : kept.map(({ role, text }) => `${role}: ${text}`).join("\n\n");
  return input === "" || hasPartOf(input, prompts) ? null : input;
}
