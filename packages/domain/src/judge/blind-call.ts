import { type ChatTurn, chatTurns } from "./chat-turns.ts";
import { cutPrompts, hasPartOf } from "./cut-prompts.ts";

/** The part of a call that a judge may see. */
export interface BlindCall {
  /** The user's question; null if it is not known, or cannot be separated from the variant's prompt. */
  readonly input: string | null;
  /** An answer that is known to be good. Only rehearsals have one. */
  readonly reference?: string | null;
  readonly answer: string;
}

/** Only prompts of at least this length are removed from what a model said, because shorter ones may be ordinary words. */
const MIN_CUT_FROM_ANSWER = 24;

/** Removes from texts what would reveal the variant. */
export interface PromptCuts {
  /** The turns that remain of a prompt, as `chatTurns` reads them; null if messages cannot be told apart. */
  turns(prompt: string): readonly ChatTurn[] | null;
  /** What a model or a tool said. */
  said(text: string): string;
  /** Whether a recognizable part of a prompt remains in a text. */
  hasPart(text: string): boolean;
}

/** Makes the functions that cut out every variant's prompt, wherever it appears. */
export function promptCuts(variantPrompts: readonly (string | null)[]): PromptCuts {
  const prompts = variantPrompts.filter(
    (prompt) => prompt !== null && prompt.trim() !== "",
  ) as readonly string[];
  const long = prompts.filter((prompt) => prompt.trim().length >= MIN_CUT_FROM_ANSWER);
  return {
    turns: (prompt) =>
      chatTurns(prompt, (text) => cutPrompts(text, prompts, ""))
        ?.map(({ role, text }) => ({ role, text: text.trim() }))
        .filter(({ text }) => text !== "") ?? null,
    said: (text) => cutPrompts(text, long, "[…]"),
    hasPart: (text) => hasPartOf(text, prompts),
  };
}

/**
 * Removes what would reveal the variant: system messages, and every variant's prompt. Reads `role: text` lines and messages as JSON.
 */
export function blindCall(
  call: { readonly prompt: string | null; readonly response: string },
  variantPrompts: readonly (string | null)[],
): BlindCall {
  const cuts = promptCuts(variantPrompts);
  return {
    input: call.prompt === null ? null : blindInput(call.prompt, cuts),
    answer: cuts.said(call.response),
  };
}

function blindInput(prompt: string, cuts: PromptCuts): string | null {
  const kept = cuts.turns(prompt);
  if (kept === null) return null;
  const [only, ...more] = kept;
  const input =
    more.length === 0 && only?.role === "user"
      ? only.text
      : kept.map(({ role, text }) => `${role}: ${text}`).join("\n\n");
  return input === "" || cuts.hasPart(input) ? null : input;
}
