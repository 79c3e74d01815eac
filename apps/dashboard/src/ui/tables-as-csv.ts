import { announce } from "./announce.ts";
import { download, fileName, toCsv } from "./download.ts";

/** Saves the tables of the page as they are shown, in a file named after the page. */
export function saveTables(): void {
  const csv = tablesAsCsv(document.getElementById("main") ?? document.body);
  if (csv === "") {
    announce("This page has no table.");
    return;
  }
  download(`${fileName(document.title.replace(" · Assay", ""))}.csv`, "text/csv", csv);
  announce("The tables of this page are saved as CSV.");
}

/** Writes the tables in a part of the page as CSV, as shown: each one's name and rows, and a blank line between two. */
function tablesAsCsv(part: HTMLElement): string {
  const tables = [...part.querySelectorAll("table")];
  return tables.map((table) => toCsv([[nameOf(table)], ...rowsOf(table)])).join("\r\n");
}

function nameOf(table: HTMLTableElement): string {
  return textOf(table.caption) || (table.getAttribute("aria-label") ?? "");
}

function rowsOf(table: HTMLTableElement): readonly (readonly string[])[] {
  // A placeholder for rows that are not in the document has no text.
  const rows = [...table.rows].map((row) => [...row.cells].map(textOf));
  return rows.filter((cells) => cells.some((text) => text !== ""));
}

/** The text of a cell on one line, with that of its pictures. */
function textOf(element: HTMLElement | null): string {
  return (element?.innerText ?? "").replaceAll(/\s+/g, " ").trim();
}
