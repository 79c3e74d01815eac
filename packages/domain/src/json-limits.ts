/** How much structure a JSON text may have. */
export interface JsonLimits {
  /** Lists and objects within each other. */
  readonly depth: number;
  /** Lists and objects altogether. */
  readonly containers: number;
  /** Items of lists and members of objects altogether. */
  readonly values: number;
}

/**
 * What is parsed in one piece, a row or the body of a request that is no batch, may hold: no row within the limit of `metadata` has
 * more, and a parser is done with it within some milliseconds.
 */
export const JSON_LIMITS: JsonLimits = { depth: 100, containers: 10_000, values: 10_000 };

const SAID: Readonly<Record<keyof JsonLimits, string>> = {
  depth: "levels: nest less",
  containers: "lists and objects: send less at a time",
  values: "values: send less at a time",
};

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A value of a JSON text, measured and not parsed. */
export interface JsonPart {
  readonly start: number;
  /** Where the comma or bracket stands that ends it, or the text ends. */
  readonly end: number;
  /** Which limit is exceeded, as the end of a sentence; null when none is. */
  readonly excess: string | null;
  /** Values within it: at most the number of lists and objects more than there are. */
  readonly values: number;
}

/**
 * Measures the value that starts at `start` of a JSON text in UTF-8, without parsing it: it reads each byte once and keeps nothing, while a
 * parser takes up to 200 bytes of memory for a single bracket. Of text that is not JSON it counts what looks like values: the parser
 * reports it, and reads no further than this either.
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
  // Each list and object has at most one value more than commas.
  const values = commas + containers;
  const excess = excessOf({ depth: deepest, containers, values }, limits);
  return { start, end: Math.min(at, json.length), excess, values };
}

function excessOf(found: JsonLimits, limits: JsonLimits): string | null {
  const limit = (["depth", "containers", "values"] as const).find((each) => found[each] > limits[each]);
  return limit === undefined
    ? null
    : `has more than ${limits[limit].toLocaleString("en-US")} ${SAID[limit]}.`;
}

/** The position of the quote that ends a string; past the text's end when none does. */
export function endOfString(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
