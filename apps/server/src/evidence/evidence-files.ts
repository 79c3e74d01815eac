import { parquetWriteBuffer } from "hyparquet-writer";
import type { EvidenceColumn } from "./evidence-columns.ts";

/** Lines of a part. A whole file as text would be a string of many megabytes. */
const LINES = 10_000;

/** Writes columns as CSV (RFC 4180) after a comment line with the head. Numbers are in full, absent values empty. */
export function csvParts(head: object, columns: readonly EvidenceColumn[]): Uint8Array<ArrayBuffer>[] {
  const [first] = columns;
  const lines = first?.data.length ?? 0;
  const parts = [`# ${harmlessJson(head)}\r\n${columns.map(({ name }) => name).join(",")}\r\n`];
  for (let from = 0; from < lines; from += LINES) {
    let part = "";
    for (let line = from; line < Math.min(lines, from + LINES); line++)
      part += `${columns.map(({ data }) => csvCell(data[line] ?? null)).join(",")}\r\n`;
    parts.push(part);
  }
  const encoder = new TextEncoder();
  return parts.map((part) => encoder.encode(part));
}

/** An apostrophe keeps a text from running as a formula in a spreadsheet. */
function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const RISKY = new Set("=+-@,;|");

/** Escapes text in the comment that a spreadsheet, splitting it at commas, would read as a cell or a formula. */
function harmlessJson(head: object): string {
  let [isText, isEscaped] = [false, false];
  const escaped = Array.from(JSON.stringify(head), (character) => {
    if (isText && RISKY.has(character)) return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    if (character === '"' && !isEscaped) isText = !isText;
    isEscaped = character === "\\" && !isEscaped;
    return character;
  });
  return escaped.join("");
}

/** Writes columns as Parquet, with the head as the file's metadata `assay`. */
export function parquetParts(head: object, columns: readonly EvidenceColumn[]): Uint8Array<ArrayBuffer>[] {
  const buffer = parquetWriteBuffer({
    columnData: columns.map(({ name, type, data }) => ({
      name,
      type,
      data: [...data],
      nullable: type === "DOUBLE",
    })),
    kvMetadata: [{ key: "assay", value: JSON.stringify(head) }],
  });
  return [new Uint8Array(buffer)];
}
