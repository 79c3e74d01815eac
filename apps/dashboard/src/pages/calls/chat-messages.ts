/** One message of a chat. */
export interface ChatMessage {
  readonly role: string;
  readonly text: string;
}

/** The roles that providers use. A line such as "note: …" in a plain prompt is not a message. */
const ROLES = "system|developer|user|assistant|model|tool|function|human";
const ROLE_LINE = new RegExp(`(?:^|\\n\\n)(${ROLES}): ?`, "g");

/**
 * Reads a prompt as a chat: JSON messages, or the `role: text` format of the client libraries. Null: it is not a chat.
 * A text can imitate several messages, so show the original too.
 */
export function chatMessages(prompt: string): readonly ChatMessage[] | null {
  return fromJson(prompt) ?? fromLines(prompt);
}

function fromJson(prompt: string): readonly ChatMessage[] | null {
  if (!/^\s*[[{]/.test(prompt)) return null;
  try {
    const value: unknown = JSON.parse(prompt);
    const list: unknown = isRecord(value) ? value.messages : value;
    const messages = Array.isArray(list) ? list.map(toMessage) : [];
    return messages.length > 0 && messages.every((message) => message !== null) ? messages : null;
  } catch {
    return null;
  }
}

function toMessage(value: unknown): ChatMessage | null {
  if (!isRecord(value) || typeof value.role !== "string") return null;
  return { role: value.role, text: contentText(value.content) };
}

/** Content is a text or a list of parts. Parts that are not texts are shown as JSON. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(contentText).join("\n");
  if (isRecord(content) && typeof content.text === "string") return content.text;
  return JSON.stringify(content ?? null, null, 2);
}

function fromLines(prompt: string): readonly ChatMessage[] | null {
  const heads = [...prompt.matchAll(ROLE_LINE)];
  if (heads[0]?.index !== 0) return null;
  return heads.map((head, index) => ({
    role: head[1] ?? "",
    text: prompt.slice(head.index + head[0].length, heads[index + 1]?.index ?? prompt.length),
  }));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
