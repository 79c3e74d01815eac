import { isRecord } from "../json.ts";
import { JSON_LIMITS, measureJson } from "../json-limits.ts";
import { isValueField, SENT_FIELDS } from "./fields.ts";

/** The columns of an imported CSV file: which cell holds which event field. */
export interface ImportColumns {
  /** Cells that every row has. */
  readonly count: number;
  readonly fields: readonly ImportField[];
  /** Columns that are not event fields and are ignored. */
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

/** Each digit can match in only one place, so a cell with a million digits causes no backtracking. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const EPOCH_MILLIS = /^\d+$/;

/** A cell that cannot be parsed as its field's type stays text, so that the check of the event names the field and its rule. */
const asText = (cell: string): unknown => cell;
const asNumber = (cell: string): unknown => (NUMBER.test(cell) ? Number(cell) : cell);
const asTimestamp = (cell: string): unknown => (EPOCH_MILLIS.test(cell) ? Number(cell) : cell);

function asBoolean(cell: string): unknown {
  const text = cell.toLowerCase();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : cell;
}

/** Undefined if the cell contains no JSON object, or one with more values than a row may have. */
function asJsonObject(cell: string): unknown {
  if (measureJson(new TextEncoder().encode(cell), JSON_LIMITS).excess !== null) return undefined;
  try {
    const value: unknown = JSON.parse(cell);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How cells of each kind are parsed. Ids stay text: "00123" is not a number. */
const READ: Readonly<Record<(typeof SENT_FIELDS)[number]["kind"], (cell: string) => unknown>> = {
  experiment: asText,
  type: asText,
  id: asText,
  instant: asTimestamp,
  name: asText,
  reference: asText,
  number: asNumber,
  boolean: asBoolean,
  text: asText,
  object: asJsonObject,
};

/** Every field that a column may name, and how its cells are parsed: the event fields and two more that clients send. */
const READERS: ReadonlyMap<string, (cell: string) => unknown> = new Map([
  ...SENT_FIELDS.map(({ sentName, kind }) => [sentName, READ[kind]] as const),
  ["payload", asJsonObject],
  ["variables", asJsonObject],
]);

/** Names of all columns that an imported file may have. */
export const IMPORT_COLUMNS: readonly string[] = [...READERS.keys()];

/** Spreadsheets of many languages separate cells by semicolons, so that the whole header is one cell. */
function separatorHint(cells: readonly string[]): string {
  return cells.length === 1 && /[;\t]/.test(cells[0]!)
    ? " Separate cells by commas, not by semicolons or tabs."
    : "";
}

/** Parses a CSV header. If no row can be read with it, returns a sentence that says what is wrong. */
export function parseImportHeader(cells: readonly string[]): ImportColumns | string {
  const names = cells.map((cell) => cell.trim());
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0) return `The header lacks ${missing.join(", ")}.${separatorHint(cells)}`;
  const twice = names.find((name, index) => name !== "" && names.indexOf(name) < index);
  if (twice !== undefined) return `The header names the column ${twice} twice.`;
  const fields = names.flatMap((name, index) => {
    const read = READERS.get(name);
    return read ? [{ name, index, read }] : [];
  });
  const unknown = names.filter((name) => name !== "" && !READERS.has(name));
  return { count: cells.length, fields, unknown };
}

/** Parses a row's cells into an event; an empty cell is an absent field. Returns a sentence if a JSON cell contains no object. */
export function readImportRow(
  cells: readonly string[],
  { fields }: ImportColumns,
): Readonly<Record<string, unknown>> | string {
  const row: Record<string, unknown> = {};
  for (const { name, index, read } of fields) {
    const cell = cells[index];
    if (cell === undefined || cell === "") continue;
    const value = read(cell);
    if (value === undefined) return `${name} must be a JSON object of at most 100 levels and 10,000 values.`;
    row[name] = value;
  }
  return row;
}
