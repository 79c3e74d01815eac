import { type DatasetItem, MAX_DATASET_ITEMS, MAX_ITEM_CHARACTERS } from "./dataset.ts";
import { inputOf } from "./dataset-input.ts";
import type { UploadFormat } from "./upload-format.ts";
import { RowError, readUploadRow } from "./upload-rows.ts";

/** A row of a file as its format was parsed, or why it could not be. */
export type FileRow = { readonly value: unknown } | { readonly fault: string };

export interface RowFault {
  /** From 0. */
  readonly row: number;
  readonly detail: string;
}

export interface UploadedItems {
  readonly items: readonly DatasetItem[];
  /** The first faults. If there are any, no input of the file is used. */
  readonly faults: readonly RowFault[];
}

/** A list of faults has at most this many. */
export const MAX_UPLOAD_FAULTS = 20;

/** Makes inputs from a file's rows. A row without an id gets `row-` and its number, from 1. Stops after `MAX_UPLOAD_FAULTS` faults. */
export function readUploadRows(format: UploadFormat, rows: Iterable<FileRow>): UploadedItems {
  const items: DatasetItem[] = [];
  const faults: RowFault[] = [];
  const ids = new Set<string>();
  let row = -1;
  for (const read of rows) {
    row += 1;
    const item = "fault" in read ? read.fault : readItem(format, read.value, row);
    if (item === null) continue;
    const fault = typeof item === "string" ? item : ids.has(item.id) ? usedTwice(item.id) : null;
    if (fault !== null) faults.push({ row, detail: fault });
    if (faults.length === MAX_UPLOAD_FAULTS) break;
    if (typeof item === "string") continue;
    ids.add(item.id);
    items.push(item);
    if (items.length > MAX_DATASET_ITEMS) {
      faults.push({ row, detail: TOO_MANY });
      break;
    }
  }
  return { items, faults };
}

const TOO_MANY = `A dataset has at most ${MAX_DATASET_ITEMS.toLocaleString("en-US")} inputs: remove some.`;

/** Returns the item, a sentence that says what is wrong with the row, or null for a row that is not an input. */
function readItem(format: UploadFormat, value: unknown, row: number): DatasetItem | string | null {
  try {
    const uploaded = readUploadRow(format, value);
    if (uploaded === null) return null;
    const { id, reference, turns, userId } = uploaded;
    const messages = inputOf(turns);
    if (messages === "no-user-message") return "The input has no user message with text.";
    if (messages === "too-long") return tooLong("input");
    if (reference !== null && reference.length > MAX_ITEM_CHARACTERS) return tooLong("reference");
    return { id: id ?? `row-${row + 1}`, messages, reference, userId, occurredAt: null, probability: 1 };
  } catch (error) {
    if (error instanceof RowError) return error.message;
    throw error;
  }
}

const tooLong = (what: string) =>
  `The ${what} is longer than ${MAX_ITEM_CHARACTERS.toLocaleString("en-US")} characters: shorten it, or leave it out.`;

const usedTwice = (id: string) => `The id ${JSON.stringify(id)} is used twice: give every input its own.`;
