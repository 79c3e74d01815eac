import type { DatasetItem } from "./dataset.ts";
import type { RehearsalArm } from "./rehearsal.ts";

/** Maximum number of characters of an answer that are kept and judged. */
export const MAX_ANSWER_CHARACTERS = 100_000;

interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Writes the messages to send to an arm: its prompt as the system message, then the input. */
export function messagesFor(
  { prompt }: Pick<RehearsalArm, "prompt">,
  { messages }: Pick<DatasetItem, "messages">,
): readonly ChatMessage[] {
  const input = messages.map(({ role, text }) => ({ role, content: text }));
  return prompt === null ? input : [{ role: "system", content: prompt }, ...input];
}

/** Writes an input as the judge reads it: the message alone, or the conversation by roles. */
export function inputText({ messages }: Pick<DatasetItem, "messages">): string {
  const [only, ...more] = messages;
  if (only !== undefined && more.length === 0) return only.text;
  return messages.map(({ role, text }) => `${role}: ${text}`).join("\n\n");
}

/** Characters of an input and its reference. */
export function charactersOf({ messages, reference }: Pick<DatasetItem, "messages" | "reference">): number {
  return messages.reduce((sum, { text }) => sum + text.length, (reference ?? "").length);
}
