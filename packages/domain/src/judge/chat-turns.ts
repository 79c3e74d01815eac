import { isRecord } from "../json.ts";

/** What a person or the model said in a chat. */
export interface ChatTurn {
  readonly role: "user" | "assistant";
  readonly text: string;
}

const SPEAKERS: ReadonlyMap<string, ChatTurn["role"]> = new Map([
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["ai", "assistant"],
]);
const ROLE_LINE = /(?:^|\n\n)(system|developer|user|assistant|model|tool|function|human|ai): ?/g;

/**
 * Extracts the turns of users and the model from a prompt, leaving out all other messages; `clean` is applied to their text. A text
 * that is not a chat is one turn of the user. Null if messages cannot be told apart: JSON that was cut off, or that has
 * instructions next to its texts.
 */
export function chatTurns(prompt: string, clean: (text: string) => string): readonly ChatTurn[] | null {
  if (/^\s*[[{]/.test(prompt)) {
    const value = parse(prompt);
    if (value === undefined && /"(role|parts|content)"\s*:/.test(prompt)) return null;
    const turns = messageTurns(value);
    if (turns !== null) return turns.map(({ role, text }) => ({ role, text: clean(text) }));
    if (isRecord(value) && Object.keys(value).some((key) => /^(system|instruction|developer)/i.test(key)))
      return null;
  }
  // Clean first, because a variant's prompt may contain lines that look like messages.
  return turnsOfLines(clean(prompt));
}

/** Extracts the turns from a provider's messages: a list, or an object that contains the list. Null: no chat. */
export function messageTurns(value: unknown): readonly ChatTurn[] | null {
  const messages = messagesOf(value);
  return messages === null ? null : turnsOf(messages);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** OpenAI and Anthropic: `messages`, or the list itself; Gemini: `contents`; OpenAI's responses: `input`. Null: no chat. */
function messagesOf(value: unknown): readonly Readonly<Record<string, unknown>>[] | null {
  const list = isRecord(value) ? (value.messages ?? value.contents ?? value.input) : value;
  if (isRecord(value) && typeof list === "string") return [{ role: "user", content: list }];
  if (!Array.isArray(list) || list.length === 0) return null;
  return list.every((item) => isRecord(item) && isMessage(item)) ? list : null;
}

function isMessage(item: Readonly<Record<string, unknown>>): boolean {
  return typeof item.role === "string" || Array.isArray(item.parts) || typeof item.type === "string";
}

function turnsOf(messages: readonly Readonly<Record<string, unknown>>[]): readonly ChatTurn[] {
  return messages.flatMap((message) => {
    // Gemini's contents without a role are the user's.
    const role = SPEAKERS.get(String(message.role ?? (message.parts && "user")).toLowerCase());
    return role === undefined ? [] : [{ role, text: contentText(message.parts ?? message.content) }];
  });
}

/** Returns texts unchanged and media by name. Thoughts, tool calls and tool results are left out. */
export function contentText(content: unknown): string {
  // No format nests lists in lists. Following the nested lists of a hostile text would overflow the stack.
  if (Array.isArray(content))
    return content
      .map(partText)
      .filter((text) => text !== "")
      .join("\n");
  return partText(content);
}

function partText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!isRecord(content) || content.thought === true || content.type === "reasoning") return "";
  const text = content.text ?? content.refusal;
  if (typeof text === "string") return text;
  const hints = `${content.type} ${content.inlineData || content.fileData ? "file" : ""}`;
  const media = /image|audio|video|document|file/.exec(hints)?.[0];
  return media === undefined ? "" : `[${media}]`;
}

function turnsOfLines(prompt: string): readonly ChatTurn[] {
  const heads = [...prompt.matchAll(ROLE_LINE)];
  if (heads[0]?.index !== 0) return [{ role: "user", text: prompt }];
  return heads.flatMap((head, index) => {
    const role = SPEAKERS.get(head[1] as string);
    const text = prompt.slice(head.index + head[0].length, heads[index + 1]?.index);
    return role === undefined ? [] : [{ role, text }];
  });
}
