/** Limits on the structure of a JSON text. */
export interface JsonLimits {
  /** Nesting of lists and objects. */
  readonly depth: number;
  /** Total number of lists and objects. */
  readonly containers: number;
  /** Total number of list items and object members. */
  readonly values: number;
}

/**
 * Limits on JSON that is parsed at once: a row, or the body of a request that is not a batch. No row within the limit of `metadata`
 * exceeds them, and parsing takes a few milliseconds at most.
 */
export const JSON_LIMITS: JsonLimits = { depth: 100, containers: 10_000, values: 10_000 };

const LIMITS = ["depth", "containers", "values"] as const;
const SAID: Readonly<Record<keyof JsonLimits, string>> = {
  depth: "levels: nest less",
  containers: "lists and objects: send fewer at a time",
  values: "values: send fewer at a time",
};

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A value in a JSON text, measured but not parsed. */
export interface JsonPart {
  readonly start: number;
  /** The position of the comma or bracket that ends the value, or the end of the text. */
  readonly end: number;
  /** The exceeded limit, as the end of a sentence; null if none is exceeded. */
  readonly excess: string | null;
  /** An upper bound on the number of values within it: at most one too many per list or object. */
  readonly values: number;
}

/**
 * Measures the value at `start` of a JSON text in UTF-8 without parsing it. This reads each byte once and keeps nothing, whereas a
 * parser needs up to 200 bytes of memory for a single bracket. In text that is not JSON, it counts what looks like values; the
 * parser then reports the error, and reads no further than this either.
 */
export function measureJson(json: Uint8Array, limits: JsonLimits, start = 0): JsonPart {
  let [at, depth, deepest, containers, commas] = [start, 0, 0, 0, 0];
  for (; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      containers += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (depth === 0) break;
      if (byte === COMMA) commas += 1;
      else depth -= 1;
    }
  }
  // Each list and object has at most one more value than it has commas.
  const values = commas + containers;
  const excess = excessOf({ depth: deepest, containers, values }, limits);
  return { start, end: Math.min(at, json.length), excess, values };
}

/** Says which limit is exceeded, of several the first; null if none is. */
function excessOf(found: JsonLimits, limits: JsonLimits): string | null {
  for (const limit of LIMITS)
    if (found[limit] > limits[limit])
      return `has more than ${limits[limit].toLocaleString("en-US")} ${SAID[limit]}.`;
  return null;
}

/** The position of the quote that ends a string; past the end of the text if there is none. */
export function endOfString(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
