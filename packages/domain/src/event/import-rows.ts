import { isRecord } from "../json.ts";
import { JSON_LIMITS, measureJson } from "../json-limits.ts";
import { isValueField, SENT_FIELDS } from "./fields.ts";

/** The columns of an imported CSV file: which cell is which field of an event. */
export interface ImportColumns {
  /** Cells that every row has. */
  readonly count: number;
  readonly fields: readonly ImportField[];
  /** Columns that are no field of an event: they are passed over. */
  readonly unknown: readonly string[];
}

interface ImportField {
  readonly name: string;
  /** Position of the cell in its row. */
  readonly index: number;
  readonly read: (cell: string) => unknown;
}

/** Columns without which no row can be accepted. */
const REQUIRED = SENT_FIELDS.filter((field) => !isValueField(field)).map(({ sentName }) => sentName);

/** A digit matches in one place only: a cell may have a million. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const EPOCH_MILLIS = /^\d+$/;

/** What does not read as its field's type stays text, so that the check of the event names the field and its rule. */
const asText = (cell: string): unknown => cell;
const asNumber = (cell: string): unknown => (NUMBER.test(cell) ? Number(cell) : cell);
const asTimestamp = (cell: string): unknown => (EPOCH_MILLIS.test(cell) ? Number(cell) : cell);

function asBoolean(cell: string): unknown {
  const text = cell.toLowerCase();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : cell;
}

/** Undefined when the cell holds no JSON object, or one of more values than any row may have. */
function asJsonObject(cell: string): unknown {
  if (measureJson(new TextEncoder().encode(cell), JSON_LIMITS).excess !== null) return undefined;
  try {
    const value: unknown = JSON.parse(cell);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How a cell of a kind is read. Ids stay text: "00123" is no number. */
const READ: Readonly<Record<(typeof SENT_FIELDS)[number]["kind"], (cell: string) => unknown>> = {
  experiment: asText,
  type: asText,
  id: asText,
  instant: asTimestamp,
  name: asText,
  number: asNumber,
  boolean: asBoolean,
  text: asText,
  object: asJsonObject,
};

/** Every field that a column may name, and how its cells are read; besides those of an event, two that clients send. */
const READERS: ReadonlyMap<string, (cell: string) => unknown> = new Map([
  ...SENT_FIELDS.map(({ sentName, kind }) => [sentName, READ[kind]] as const),
  ["payload", asJsonObject],
  ["variables", asJsonObject],
]);

/** Names of all columns that an imported file may have. */
export const IMPORT_COLUMNS: readonly string[] = [...READERS.keys()];

/** Reads a CSV header. Returns a sentence that says what is wrong with it when no row can be read under it. */
export function parseImportHeader(cells: readonly string[]): ImportColumns | string {
  const names = cells.map((cell) => cell.trim());
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0) return `The header lacks ${missing.join(", ")}.`;
  const twice = names.find((name, index) => name !== "" && names.indexOf(name) < index);
  if (twice !== undefined) return `The header names the column ${twice} twice.`;
  const fields = names.flatMap((name, index) => {
    const read = READERS.get(name);
    return read ? [{ name, index, read }] : [];
  });
  const unknown = names.filter((name) => name !== "" && !READERS.has(name));
  return { count: cells.length, fields, unknown };
}

/** Reads a row's cells into an event; an empty cell is an absent field. Returns a sentence when a cell holds no JSON object but must. */
export function readImportRow(
  cells: readonly string[],
  { fields }: ImportColumns,
): Readonly<Record<string, unknown>> | string {
  const row: Record<string, unknown> = {};
  for (const { name, index, read } of fields) {
    const cell = cells[index];
    if (cell === undefined || cell === "") continue;
    const value = read(cell);
    if (value === undefined)
      return `${name} must hold a JSON object, of at most 100 levels and 10,000 values.`;
    row[name] = value;
  }
  return row;
}
