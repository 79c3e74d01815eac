import { endOfString, JSON_LIMITS, type JsonPart, measureJson } from "../json-limits.ts";

/** The parts of an ingest body. Each is small enough to parse at once, unless its `excess` says otherwise. */
export interface BatchParts {
  /** The items of the list of events, at most one more than a batch may have; null if the body has no such list. */
  readonly rows: readonly JsonPart[] | null;
  /** The body's other members, by name. */
  readonly others: ReadonlyMap<string, JsonPart>;
}

/** The maximum number of rows of a batch. */
export const MOST_ROWS = 1_000;
/** A body has `events` and `client`. More names than this are an attack. */
const MOST_NAMES = 100;
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const [SPACE, TAB, LINE_FEED, RETURN] = [0x20, 0x09, 0x0a, 0x0d];
const [QUOTE, COLON, COMMA] = [0x22, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Splits an ingest body, `{"events": [...]}` or a bare array, into its rows without parsing them. This way a row that is nested
 * too deeply does not affect other rows, and other requests need not wait while megabytes are parsed. If all parts are JSON, so is
 * the body. Throws `SyntaxError` if the text around the parts is not JSON, or a name occurs twice.
 */
export function splitBatch(json: Uint8Array): BatchParts {
  const start = skipSpaces(json, 0);
  const others = new Map<string, JsonPart>();
  if (json[start] === OPEN_LIST) {
    const { items, end } = itemsOf(json, start);
    if (items.length <= MOST_ROWS) expectEnd(json, end);
    return { rows: items, others };
  }
  if (json[start] !== OPEN_OBJECT) {
    expectEnd(json, measureJson(json, JSON_LIMITS, start).end);
    return { rows: null, others };
  }
  let rows: readonly JsonPart[] | null = null;
  const end = readMembers(json, start, (name, at) => {
    if (name === "events" && json[at] === OPEN_LIST) {
      const list = itemsOf(json, at);
      rows = list.items;
      // After too many rows, the rest is not read.
      return list.items.length > MOST_ROWS ? null : list.end;
    }
    const value = measureJson(json, JSON_LIMITS, at);
    others.set(name, value);
    return value.end;
  });
  if (end !== null) expectEnd(json, end);
  others.delete("events");
  return { rows, others };
}

/** Parses a part. Throws `SyntaxError`. */
export function parsePart(json: Uint8Array, { start, end }: Pick<JsonPart, "start" | "end">): unknown {
  return JSON.parse(UTF8.decode(json.subarray(start, end)));
}

/** Returns the items of the list whose bracket is at `open`, and the position after the list. */
function itemsOf(json: Uint8Array, open: number) {
  const items: JsonPart[] = [];
  const first = skipSpaces(json, open + 1);
  if (json[first] === CLOSE_LIST) return { items, end: first + 1 };
  for (let at = first; ; ) {
    const item = measureJson(json, JSON_LIMITS, at);
    items.push(item);
    at = item.end + 1;
    if (json[item.end] === CLOSE_LIST || items.length > MOST_ROWS) return { items, end: at };
    if (json[item.end] !== COMMA) throw new SyntaxError("a list does not end");
  }
}

/**
 * Reads the members of the object whose brace is at `open`. `read` receives a name and the start of its value, and returns the end
 * of the value, or null to stop. Returns the position after the object; null if it was not read to its end.
 */
function readMembers(
  json: Uint8Array,
  open: number,
  read: (name: string, start: number) => number | null,
): number | null {
  let at = skipSpaces(json, open + 1);
  if (json[at] === CLOSE_OBJECT) return at + 1;
  const names = new Set<string>();
  while (names.size < MOST_NAMES) {
    if (json[at] !== QUOTE) throw new SyntaxError("an object has something other than a quoted name");
    const nameEnd = Math.min(endOfString(json, at + 1) + 1, json.length);
    const name = parsePart(json, { start: at, end: nameEnd }) as string;
    at = skipSpaces(json, nameEnd);
    if (json[at] !== COLON) throw new SyntaxError("a name has no value");
    if (names.has(name)) throw new SyntaxError("a name occurs twice");
    names.add(name);
    const valueEnd = read(name, skipSpaces(json, at + 1));
    if (valueEnd === null) return null;
    at = skipSpaces(json, valueEnd);
    if (json[at] === CLOSE_OBJECT) return at + 1;
    if (json[at] !== COMMA) throw new SyntaxError("an object does not end");
    at = skipSpaces(json, at + 1);
  }
  throw new SyntaxError(`an object has more than ${MOST_NAMES} names`);
}

function expectEnd(json: Uint8Array, at: number): void {
  if (skipSpaces(json, at) < json.length) throw new SyntaxError("something follows its end");
}

function skipSpaces(json: Uint8Array, from: number): number {
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte !== SPACE && byte !== LINE_FEED && byte !== RETURN && byte !== TAB) return at;
  }
  return Math.max(from, json.length);
}
