import { chatTurns } from "./chat-turns.ts";
import { cutPrompts, hasPartOf } from "./cut-prompts.ts";

/** What a judge may see of a call. */
export interface BlindCall {
  /** What the user asked; null when it is not known, or cannot be told apart from the variant's prompt. */
  readonly input: string | null;
  readonly answer: string;
}

/** An answer loses only prompts that cannot be ordinary words of it. */
const MIN_CUT_FROM_ANSWER = 24;

/**
 * Removes what would reveal the variant to the judge: system messages, and every variant's prompt wherever it appears. Prompts are read as the client libraries log them (`role: text`) or as JSON of a provider's messages.
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
