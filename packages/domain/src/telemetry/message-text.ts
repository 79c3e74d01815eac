import { EVENT_FIELDS } from "../event/fields.ts";
import { isRecord, type Json } from "../json.ts";
import { JSON_LIMITS, measureJson } from "../json-limits.ts";
import type { NumberedMessages } from "./dialects.ts";
import type { Attributes } from "./span.ts";

const MAX_BYTES = EVENT_FIELDS.prompt.max;
const CUT_MARK = "…[cut]";
const CUT_MARK_BYTES = 8;
/** Maximum number of messages, and of parts of a message, that are read. */
const MAX_PARTS = 1_000;

/** Cuts a text to the maximum size in an event, in bytes of UTF-8, and marks it as cut. */
export function cutText(text: string): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= MAX_BYTES) return text;
  const kept = new Uint8Array(MAX_BYTES - CUT_MARK_BYTES);
  const { read } = new TextEncoder().encodeInto(text, kept);
  return read === text.length ? text : text.slice(0, read) + CUT_MARK;
}

/** A text up to this length cannot have too many values or levels, whatever it contains. */
const SHORT = 4_000;

/** Parses JSON of bounded depth and size; null for anything else. */
export function parseBounded(text: string): Json {
  if (text.length > SHORT && measureJson(new TextEncoder().encode(text), JSON_LIMITS).excess !== null)
    return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/**
 * Returns the text of an attribute. The attribute is a text, or messages in the form of any provider or of OpenTelemetry, as a value or
 * as JSON. Messages become `role: text`, separated by blank lines, as in the client libraries; a single message becomes its text.
 */
export function messagesText(value: Json): string {
  if (typeof value !== "string") return textOfMessages(value);
  const parsed = /^\s*[[{]/.test(value) ? parseBounded(value) : null;
  return parsed === null ? value : textOfMessages(parsed);
}

/** Returns the text of messages that are spread over numbered attributes; an empty text if there are none. */
export function numberedText(attributes: Attributes, names: NumberedMessages): string {
  const messages: Message[] = [];
  for (let at = 0; at < MAX_PARTS; at++) {
    const message = numberedMessage(attributes, names, String(at));
    if (message === null) break;
    messages.push(message);
  }
  return joinedMessages(messages);
}

interface Message {
  readonly role: string | null;
  readonly text: string;
}

function numberedMessage(
  attributes: Attributes,
  { head, part, tool }: NumberedMessages,
  at: string,
): Message | null {
  const own = head.replace("#", at);
  const [role, content] = [attributes.get(`${own}.role`), attributes.get(`${own}.content`)];
  const parts = [contentText(content ?? null)];
  for (let index = 0; index < MAX_PARTS; index++) {
    const more = part === null ? undefined : attributes.get(`${own}.${part.replace("*", String(index))}`);
    const numbered = `${own}.${tool.replace("*", String(index))}`;
    // A single call may have no number.
    const call = index > 0 || attributes.has(`${numbered}.name`) ? numbered : `${own}.function_call`;
    const name = attributes.get(`${call}.name`);
    if (more === undefined && name === undefined) break;
    // Some instrumentations write a text both as the content and as a part of it.
    if (more !== undefined && more !== content) parts.push(contentText(more));
    if (name !== undefined) parts.push(callText(name, attributes.get(`${call}.arguments`) ?? null));
  }
  const text = lines(parts);
  return role === undefined && text === "" ? null : { role: typeof role === "string" ? role : null, text };
}

function textOfMessages(value: Json): string {
  const list = isRecord(value) ? (value.messages ?? value.choices ?? [value]) : value;
  const items = (Array.isArray(list) ? list.slice(0, MAX_PARTS) : [list]) as readonly Json[];
  return joinedMessages(items.flatMap(itemsOf).slice(0, MAX_PARTS).map(messageOf));
}

/** Returns the output items of an OpenAI Responses answer; any other value unchanged. */
function itemsOf(value: Json): readonly Json[] {
  if (!isRecord(value) || value.object !== "response" || !Array.isArray(value.output)) return [value];
  const output = value.output as readonly Json[];
  return output.slice(0, MAX_PARTS).filter((item) => !isRecord(item) || item.type !== "reasoning");
}

/** A completion's choice contains its message. */
function messageOf(value: Json): Message {
  if (!isRecord(value)) return { role: null, text: contentText(value) };
  const message = isRecord(value.message) ? (value.message as { readonly [key: string]: Json }) : value;
  const { role, parts, content } = message as { readonly [key: string]: Json };
  const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as readonly Json[]) : [];
  const known = parts ?? content;
  const isPart = known === undefined && calls.length === 0;
  const own = isPart ? partText(message as Json) : contentText(known ?? null);
  return {
    role: typeof role === "string" ? role : null,
    text: lines([own, ...calls.slice(0, MAX_PARTS).map(partText)]),
  };
}

/** Joins messages as the client libraries do. */
export function joinedMessages(messages: readonly Message[]): string {
  const [only] = messages;
  if (messages.length === 1 && only !== undefined) return only.text;
  return messages.map(({ role, text }) => (role === null ? text : `${role}: ${text}`)).join("\n\n");
}

function contentText(content: Json): string {
  return Array.isArray(content) ? lines(content.slice(0, MAX_PARTS).map(partText)) : partText(content);
}

const MEDIA = /image|audio|video|document|file/;

function partText(part: Json): string {
  if (part === null) return "";
  if (!isRecord(part)) return typeof part === "string" ? part : JSON.stringify(part);
  const { type, text, content, refusal, name, toolName } = part as { readonly [key: string]: Json };
  if (type === "reasoning" || type === "thinking") return "";
  const said = [text, content, refusal].find((each) => typeof each === "string");
  if (typeof said === "string") return said;
  const call = isRecord(part.function) ? (part.function as { readonly [key: string]: Json }) : null;
  const callee = call?.name ?? name ?? toolName;
  if (typeof callee === "string") return callText(callee, call?.arguments ?? part.arguments ?? part.input);
  const media = MEDIA.exec(String(type ?? ""))?.[0];
  return media === undefined ? JSON.stringify(part) : `[${media}]`;
}

function callText(name: Json, given: unknown): string {
  return `[tool_call ${String(name)}(${typeof given === "string" ? given : JSON.stringify(given ?? {})})]`;
}

const lines = (parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n");
