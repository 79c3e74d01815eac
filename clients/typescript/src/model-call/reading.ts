import { appendBounded, startText } from "./call-text.ts";
import type { ModelCallFacts, Reading } from "./model-call-format.ts";

/** Starts to read the answer of a model call, of which something may be known already. */
export function startReading(facts: ModelCallFacts): Reading {
  return { facts, counts: {}, write: startText() };
}

/** Adds content to the response, as if all that was added had come in one message. */
export function addContent(content: unknown, { facts, write }: Reading): void {
  if (content) facts.response = write(content);
}

/** Adds the part that was coming in to the response, being whole, and begins another one, or none. */
export function beginPart(part: unknown, reading: Reading): void {
  addContent(reading.part, reading);
  reading.part = part ? { ...(part as object) } : undefined;
}

/** Adds to the arguments of the part that is coming in. Before any come, some providers say that it has none. */
export function addArguments(more: string, { part }: Reading): void {
  if (part && more) part.arguments = appendBounded(part.arguments ?? "", more);
}
