import { appendBounded, startText } from "./call-text.ts";
import type { ModelCallFacts, Reading } from "./model-call-format.ts";

/** Starts reading the answer of a model call. Some facts may be known already. */
export function startReading(facts: ModelCallFacts): Reading {
  return { facts, sums: {}, write: startText() };
}

/** Adds content to the response, as if all content came in one message. */
export function addContent(content: unknown, { facts, write }: Reading): void {
  if (content) facts.response = write(content);
}

/** Adds the completed part to the response and starts the next one, if any. */
export function beginPart(part: unknown, reading: Reading): void {
  addContent(reading.part, reading);
  reading.part = part ? { ...(part as object) } : undefined;
}

/** Adds to the arguments of the arriving part. Some providers send empty arguments before the first ones. */
export function addArguments(more: string, { part }: Reading): void {
  if (part && more) part.arguments = appendBounded(part.arguments ?? "", more);
}
