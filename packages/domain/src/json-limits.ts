/** How much structure a JSON text may have. */
export interface JsonLimits {
  /** Lists and objects within each other. */
  readonly depth: number;
  /** Lists and objects altogether. */
  readonly containers: number;
  /** Items of lists and members of objects altogether. */
  readonly values: number;
}

/** What a body may hold: 500 values and 100 lists and objects for each row of a full batch, whose rows have 5 KB each. */
export const BODY_LIMITS: JsonLimits = { depth: 100, containers: 100_000, values: 500_000 };
/** What one row of an imported file may hold: no row within the limit of `metadata` has more. */
export const ROW_LIMITS: JsonLimits = { depth: 100, containers: 10_000, values: 10_000 };

const SAID: Readonly<Record<keyof JsonLimits, string>> = {
  depth: "levels: nest less",
  containers: "lists and objects: send less at a time",
  values: "values: send less at a time",
};

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** What a JSON text holds. */
export interface JsonMeasure {
  /** Which limit is exceeded, as the end of a sentence; null when none is. */
  readonly excess: string | null;
  /** Values, as far as the text was read: at most the number of lists and objects more than there are. */
  readonly values: number;
}

/**
 * Measures a JSON text in UTF-8 without parsing it, up to where it exceeds a limit. It reads each byte once and keeps nothing,
 * while a parser takes up to 200 bytes of memory for a single bracket. Of text that is not JSON it counts what looks like
 * values: the parser reports it.
 */
export function measureJson(json: Uint8Array, limits: JsonLimits): JsonMeasure {
  let [depth, containers, commas] = [0, 0, 0];
  let excess: string | null = null;
  for (let at = 0; at < json.length && excess === null; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === COMMA) commas += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      containers += 1;
      if (depth > limits.depth) excess = more("depth", limits);
      else if (containers > limits.containers) excess = more("containers", limits);
    }
  }
  // Each list and object has at most one value more than commas.
  const values = commas + containers;
  if (values > limits.values) excess ??= more("values", limits);
  return { excess, values };
}

function more(limit: keyof JsonLimits, limits: JsonLimits): string {
  return `has more than ${limits[limit].toLocaleString("en-US")} ${SAID[limit]}.`;
}

/** The position of the quote that ends a string; past the text's end when none does. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
