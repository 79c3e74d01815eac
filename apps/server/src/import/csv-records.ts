import { MAX_ROW_BYTES } from "./row-reader.ts";

export const LF = 0x0a;
export const CR = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;

/** The position of a record in the current bytes. */
export interface CsvRecord {
  readonly start: number;
  readonly end: number;
  /** Offset of the record's second line. Equals `end` for a record of one line. */
  readonly secondLine: number;
  /** Physical lines that it takes. */
  readonly lines: number;
  readonly isBlank: boolean;
  /** Why this is not a record; null when its quotes match. */
  readonly fault: string | null;
}

/**
 * Finds the record that starts at `start`. It ends with the first line after which its quotes are even, because inside
 * a record every quote opens, closes or is doubled (RFC 4180). Null when more bytes are needed.
 */
export function findCsvRecord(
  bytes: Buffer,
  start: number,
  { newline, isEnd }: { readonly newline: number; readonly isEnd: boolean },
): CsvRecord | null {
  const bound = Math.min(bytes.length, start + MAX_ROW_BYTES);
  let [isQuoted, lines, secondLine] = [false, 0, -1];
  for (let at = start; at < bound; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (byte !== newline) continue;
    lines += 1;
    if (lines === 1) secondLine = at + 1;
    if (!isQuoted) return record({ start, end: at + 1, secondLine, lines }, bytes);
  }
  const isTooLong = bound === start + MAX_ROW_BYTES;
  if (!isTooLong && !isEnd) return null;
  if (!isTooLong && !isQuoted) {
    return record(
      { start, end: bound, secondLine: secondLine < 0 ? bound : secondLine, lines: lines + 1 },
      bytes,
    );
  }
  const fault = isTooLong
    ? "The row is longer than 1 MiB: most likely a quote is not closed. Reading continues at the next line."
    : "A quote is not closed. Reading continues at the next line.";
  return { start, end: bound, secondLine, lines, isBlank: false, fault };
}

function record(place: Omit<CsvRecord, "isBlank" | "fault">, bytes: Buffer): CsvRecord {
  const { start, end } = place;
  const length = end - start;
  const isBlank =
    length === 0 ||
    (length === 1 && isLineEnd(bytes[start])) ||
    (length === 2 && bytes[start] === CR && bytes[start + 1] === LF);
  return { ...place, isBlank, fault: null };
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

/** What is wrong with a record's quotes, as csv-parse names it. */
export type QuoteFault = "INVALID_OPENING_QUOTE" | "CSV_INVALID_CLOSING_QUOTE";

/**
 * Finds a misplaced quote, as csv-parse does at twenty times the cost: in a file of broken lines, each line needs a
 * separate call. Null when the quotes are right.
 */
export function findQuoteFault(
  bytes: Buffer,
  { start, end }: Pick<CsvRecord, "start" | "end">,
  newline: number,
): QuoteFault | null {
  let [isQuoted, isCellStart] = [false, true];
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte !== QUOTE) {
      isCellStart = !isQuoted && byte === COMMA;
      continue;
    }
    if (!isQuoted) {
      if (!isCellStart) return "INVALID_OPENING_QUOTE";
      [isQuoted, isCellStart] = [true, false];
    } else if (at + 1 < end && bytes[at + 1] === QUOTE) at += 1;
    else if (endsCell(bytes, at + 1, end, newline)) isQuoted = false;
    else return "CSV_INVALID_CLOSING_QUOTE";
  }
  return null;
}

function endsCell(bytes: Buffer, at: number, end: number, newline: number): boolean {
  // csv-parse takes NUL for the end, too.
  if (at >= end || bytes[at] === COMMA || bytes[at] === newline || bytes[at] === 0) return true;
  return newline === LF && bytes[at] === CR && at + 1 < end && bytes[at + 1] === LF;
}

/**
 * Detects the line ends of the file from the first one outside quotes: CR alone, or LF with or without a CR. Null: not
 * known yet.
 */
export function findNewline(bytes: Buffer, isEnd: boolean): number | null {
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (byte === LF) return LF;
    if (byte === CR && (at + 1 < bytes.length || isEnd)) return bytes[at + 1] === LF ? LF : CR;
  }
  return isEnd || bytes.length > MAX_ROW_BYTES ? LF : null;
}
