import { UTF_8 } from "@assay/bucketing";
import { utf8Length } from "#platform";
import { isText, textOr } from "../fields.ts";

/**
 * The text of prompts and responses. Every client library follows the same rules.
 *
 * - Texts and refusals are joined unchanged. A recording with a transcript counts as its transcript.
 * - The model's reasoning is left out.
 * - A tool call becomes `[tool_call name(arguments as JSON)]`. A tool result becomes its text or JSON.
 * - Media becomes `[image]`, `[audio]`, `[video]`, `[document]` or `[file]`. Any other part becomes `[type]`.
 * - Anything but text gets its own line.
 * - A base64 `data:` URL inside a text is replaced by its type: `[image/png removed]`.
 * - Messages become `role: text`, separated by blank lines. A single user message that is a plain string stays that string.
 * - At most 64 KiB of UTF-8 are kept, including the mark `…[cut]` at the end of a longer text.
 *
 * These functions accept any input: nothing throws, and the work is bounded by the first 64 KiB of text and 1,000 parts.
 */

/** The longest text that is kept. */
export const MAX_TEXT_BYTES = 65_536;
const CUT_MARK = "…[cut]";
const CUT_MARK_BYTES = 8;
const MAX_PARTS = 1_000;
/** Only one character can end the type. If parameters could begin anywhere in it, matching a long text would take minutes. */
const DATA_URL = /data:([\w.+/-]+)(?:[=;][\w.+=;-]*)?;base64,[\w+/=-]*/g;

/**
 * Returns at most 64 KiB of the text in UTF-8, cut at a character boundary and marked, without its `data:`
 * URLs.
 */
export function boundText(text: string): string {
  const clean = withoutMedia(text);
  if (utf8Length(clean) <= MAX_TEXT_BYTES) return clean;
  const kept = new Uint8Array(MAX_TEXT_BYTES - CUT_MARK_BYTES);
  return clean.slice(0, UTF_8.encodeInto(clean, kept).read) + CUT_MARK;
}

/** Appends as long as `boundText` would keep any of it. The time taken depends on `more`, not on `text`. */
export function appendBounded(text: string, more: string): string {
  return text + more.slice(0, Math.max(0, MAX_TEXT_BYTES + 1 - text.length));
}

/** Returns the text of a message, of its content or of a part of it, by the rules above. */
export function contentText(content: unknown): string {
  return startText()(content);
}

/** Returns the text of messages, by the rules above; `messages` is one or an array, each an object or a string. */
export function messagesText(messages: unknown, system?: unknown): string {
  let text = "";
  try {
    const all = [system ? { role: "system", content: system } : [], messages].flat() as readonly Part[];
    for (const message of all) {
      const isString = isText(message?.content ?? message);
      const role = message?.role ?? (isString && "user");
      const said = contentText(message);
      if (all.length === 1 && isString && role === "user") return said;
      text = appendBounded(text, (text && "\n\n") + (role ? `${role}: ` : "") + said);
      if (text.length > MAX_TEXT_BYTES) break;
    }
  } catch {
    // Left out, as in startText.
  }
  return text;
}

/** Fields that messages and parts of any provider may have. Each is checked before use. */
interface Part {
  readonly role?: unknown;
  readonly type?: unknown;
  readonly thought?: unknown;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly transcript?: unknown;
  readonly function?: Part;
  readonly functionCall?: Part;
  readonly custom?: Part;
  readonly name?: unknown;
  readonly toolName?: unknown;
  readonly arguments?: unknown;
  readonly args?: unknown;
  readonly input?: unknown;
  readonly inlineData?: Part;
  readonly fileData?: Part;
  readonly mimeType?: unknown;
  readonly mediaType?: unknown;
  readonly functionResponse?: Part;
  readonly response?: unknown;
  readonly result?: unknown;
  readonly value?: unknown;
  readonly content?: unknown;
  readonly parts?: unknown;
  readonly audio?: unknown;
  readonly tool_calls?: unknown;
  readonly output?: unknown;
}

/**
 * Starts a text whose content arrives in pieces. The returned function takes the next piece and returns the
 * text so far (as much of it as `boundText` would keep).
 */
export function startText(): (content: unknown) => string {
  let text = "";
  let gap = "";
  let partsLeft = 0;

  const write = (more: string) => {
    if (more === "") return;
    text = appendBounded(text, (text && gap) + withoutMedia(more));
    gap = "";
  };
  const readObject = (part: Part) => {
    const type = `${part.type ?? ""}`;
    if (part.thought || /thinking|reasoning|^source/.test(type)) return;
    const said = textOr(part.text ?? part.refusal ?? part.transcript, null);
    write(said ?? "");
    const line = lineOf(part, type) ?? (said === null && type && `[${type}]`);
    if (!line) return;
    gap = "\n";
    read(line);
    gap = "\n";
  };
  const read = (part: unknown) => {
    if (partsLeft-- <= 0) return;
    if (isText(part)) write(part);
    else if (Array.isArray(part)) part.slice(0, MAX_PARTS).forEach(read);
    else if (part) readObject(part);
  };
  return (content) => {
    partsLeft = MAX_PARTS;
    try {
      read(content);
    } catch {
      // The rest is left out after a getter that throws, a cyclic argument, or nesting deeper than the stack.
    }
    return text;
  };
}

/** The form of a part that is not text and has one. It gets its own line. */
function lineOf(part: Part, type: string): unknown {
  const inner = part.function ?? part.functionCall ?? part.custom;
  const call = inner ?? part;
  const name = call.name ?? call.toolName;
  const args = call.arguments ?? call.args ?? call.input ?? (inner && {});
  if (name && args !== undefined) return `[tool_call ${name}(${toText(args)})]`;
  const source = part.inlineData ?? part.fileData;
  const hints = `${source?.mimeType ?? part.mediaType} ${type} ${source && "file"}`;
  const kind = /image|audio|video|document|file/.exec(hints);
  if (kind) return `[${kind}]`;
  const result =
    part.functionResponse?.response ?? part.result ?? (type === "content" ? undefined : part.value);
  const nested = [part.content, part.parts, part.audio, part.tool_calls, part.output, part.value];
  const [more] = nested.filter(Boolean);
  return toText(result) ?? (more && nested);
}

/** Returns a string unchanged, and anything else as JSON. Throws when JSON cannot hold it. */
export function toText(value: unknown): string | undefined {
  return isText(value) ? value : JSON.stringify(value);
}

function withoutMedia(text: string): string {
  return text.replace(DATA_URL, "[$1 removed]");
}
