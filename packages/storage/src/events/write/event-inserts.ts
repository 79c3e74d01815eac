import { compile, EVENT_FIELD_LIST, type ListedField, type StoredEvent } from "@assay/domain";
import { keepLastUsed } from "../../last-used.ts";

const ROWS_PER_SLICE = 500;
const CHARACTERS_PER_SLICE = 256 * 1024;
/** JSON in UTF-8 takes up to 6 bytes per character, and the embedded engine takes bodies up to 64 MiB. */
const CHARACTERS_PER_INSERT = 8 * 1024 * 1024;
/** Maximum number of characters of a field that is not text: a number, an instant, an enum value. */
const CHARACTERS_OF_VALUE = 32;
/** Number of field sets whose functions are cached. Events choose their fields, so some senders have many sets. */
const MAX_ROW_WRITERS = 64;

/** Columns of the raw log, and lines of rows with their values. */
export interface EventInsert {
  readonly columns: readonly string[];
  readonly lines: AsyncIterable<string>;
}

/**
 * Writes events as inserts into the raw log, almost always one. It leaves out columns in which no event has a value, which halves the data
 * to write and read. The engine fills in their default, which means no value.
 */
export function* eventInserts(events: readonly StoredEvent[]): Generator<EventInsert> {
  const fields = usedFields(events);
  const columns = fields.map(({ name }) => name);
  const toRow = rowWriter(fields);
  const besideText = CHARACTERS_OF_VALUE * fields.filter((field) => !isText(field)).length;
  for (const part of partsOf(events, besideText)) yield { columns, lines: toLines(part, toRow) };
}

/** Splits a list into parts that each fit in one insert. */
function* partsOf(events: readonly StoredEvent[], besideText: number): Generator<readonly StoredEvent[]> {
  let start = 0;
  let characters = 0;
  for (const [index, event] of events.entries()) {
    characters += countTextOf(event) + besideText;
    if (characters < CHARACTERS_PER_INSERT) continue;
    yield events.slice(start, index + 1);
    start = index + 1;
    characters = 0;
  }
  if (start < events.length) yield events.slice(start);
}

/** Yields lines in slices, and yields to the event loop between them. */
export async function* toLines(
  events: readonly StoredEvent[],
  toRow: (event: StoredEvent) => readonly unknown[],
): AsyncGenerator<string> {
  let slice = "";
  let rows = 0;
  for (const event of events) {
    slice += `${JSON.stringify(toRow(event))}\n`;
    rows += 1;
    if (rows < ROWS_PER_SLICE && slice.length < CHARACTERS_PER_SLICE) continue;
    yield slice;
    slice = "";
    rows = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (slice !== "") yield slice;
}

/** Removes half surrogate pairs, which have no UTF-8 form: the engine would reject the whole batch. */
export function text(value: string | null): string {
  return value === null ? "" : value.toWellFormed();
}

function isText({ kind }: ListedField): boolean {
  return kind !== "number" && kind !== "boolean" && kind !== "instant" && kind !== "type";
}

/** Counts the characters of an event's texts, ids and names. */
const countTextOf = compile<(event: StoredEvent) => number>(
  ["event"],
  EVENT_FIELD_LIST.filter(isText)
    .map(({ property }) => `(event.${property}?.length ?? 0)`)
    .join(" + "),
  {},
);

/** Lists the fields in which any of the events has a value. */
function usedFields(events: readonly StoredEvent[]): readonly ListedField[] {
  const isUsed = new Uint8Array(EVENT_FIELD_LIST.length);
  for (const event of events) noteUsed(event, isUsed);
  return EVENT_FIELD_LIST.filter((_, i) => isUsed[i] === 1);
}

const noteUsed = compile<(event: StoredEvent, isUsed: Uint8Array) => void>(
  ["event", "isUsed"],
  EVENT_FIELD_LIST.map(({ property }) => `event.${property}`)
    .map((value, i) => `${value} === null || ${value} === "" || (isUsed[${i}] = 1)`)
    .join(", "),
  {},
);

type RowWriter = (event: StoredEvent) => readonly unknown[];

const rowWriters = new Map<string, RowWriter>();

/** Returns a function that lists an event's field values. Instants are plain numbers, which the engine reads as milliseconds. */
function rowWriter(fields: readonly ListedField[]): RowWriter {
  const values = `[${fields.map(valueText).join(", ")}]`;
  const writer = rowWriters.get(values) ?? compile<RowWriter>(["event"], values, { text });
  keepLastUsed(rowWriters, [values, writer], MAX_ROW_WRITERS);
  return writer;
}

function valueText({ property, kind }: ListedField): string {
  const value = `event.${property}`;
  if (kind === "type" || kind === "instant" || kind === "number") return value;
  return kind === "boolean" ? `${value} === null ? null : Number(${value})` : `text(${value})`;
}
