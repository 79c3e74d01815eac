import { appendBounded, startText } from "./call-text.ts";
import type { ModelCallFacts, Reading } from "./model-call-format.ts";

/** Starts reading the answer of a model call. Some facts may be known already. */
export function startReading(facts: ModelCallFacts, baseUrl = ""): Reading {
  return { facts, baseUrl, sums: {}, write: startText(), parts: {} };
}

/** Adds content to the response, as if all content came in one message. */
export function addContent(content: unknown, { facts, write }: Reading): void {
  if (content) facts.response = write(content);
}

/** If a part is given, starts it at this index. Then adds to the arguments of the part there. Several parts may arrive at the same time. */
export function addPart(index: number, part: unknown, more: string, reading: Reading): void {
  const { parts } = reading;
  if (part) {
    addContent(parts[index], reading);
    parts[index] = { ...part };
  }
  const current = parts[index];
  // Some providers send empty arguments before the first ones.
  if (current && more) current.arguments = appendBounded(current.arguments ?? "", more);
}

/** Adds the parts, which are complete, to the response. */
export function endParts(reading: Reading): void {
  for (const part of Object.values(reading.parts)) addContent(part, reading);
  reading.parts = {};
}
