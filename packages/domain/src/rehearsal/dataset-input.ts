import { type ChatTurn, chatTurns } from "../judge/chat-turns.ts";
import { cutPrompts } from "../judge/cut-prompts.ts";
import { type DatasetMessage, MAX_ITEM_CHARACTERS } from "./dataset.ts";

/** Why turns cannot be used as an input. */
export type InputFault = "no-user-message" | "too-long";

/** Makes an input from the turns that have a text, up to the user's last message, which is the one to answer. */
export function inputOf(turns: readonly ChatTurn[]): readonly DatasetMessage[] | InputFault {
  const spoken = turns.filter(({ text }) => text.trim() !== "");
  const messages = spoken.slice(0, spoken.findLastIndex(({ role }) => role === "user") + 1);
  if (messages.length === 0) return "no-user-message";
  const characters = messages.reduce((sum, { text }) => sum + text.length, 0);
  return characters > MAX_ITEM_CHARACTERS ? "too-long" : messages;
}

/**
 * Makes an input from a call's prompt. The variants' prompts are cut out wherever they occur, because the arms of a rehearsal have
 * their own. Null if there is no usable input.
 */
export function inputOfPrompt(
  prompt: string,
  variantPrompts: readonly string[],
): readonly DatasetMessage[] | null {
  const prompts = variantPrompts.filter((text) => text.trim() !== "");
  const turns = chatTurns(prompt, (text) => cutPrompts(text, prompts, "").trim());
  const input = turns === null ? null : inputOf(turns);
  return typeof input === "string" ? null : input;
}
