/** Without it, Excel reads CSV in a regional encoding and garbles minus signs, accents and Chinese names. */
const BYTE_ORDER_MARK = "\ufeff";

/** Downloads content as a file. */
export function download(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(
    new Blob(type === "text/csv" && typeof content === "string" ? [BYTE_ORDER_MARK, content] : [content], {
      type,
    }),
  );
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

type Cell = string | number | boolean | null;

/** Formats rows as CSV (RFC 4180): numbers unchanged, null empty, texts quoted. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

/** An apostrophe keeps a text from running as a formula in a spreadsheet. */
function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Builds a file name from parts: letters, digits, dots and dashes. */
export function fileName(...parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll(/[^\p{L}\p{N}.]+/gu, "-")).join("_");
}
