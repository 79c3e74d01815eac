import { CsvError, parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CR, findQuoteFault, LF } from "./csv-records.ts";

/** What csv-parse says of a text of one record. */
function byParser(text: string, newline: number): string | null {
  const delimiters = newline === CR ? ["\r"] : ["\r\n", "\n"];
  try {
    parse(Buffer.from(text), {
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: delimiters,
    });
    return null;
  } catch (error) {
    if (error instanceof CsvError) return error.code;
    throw error;
  }
}

/** Whether the quotes are even: the reader takes a record to its first line end under which they are. */
const isRecord = (text: string) => (text.split('"').length - 1) % 2 === 0;

test("quotes are right or wrong as csv-parse says", () => {
  const piece = fc.constantFrom('"', '""', ",", "\n", "\r\n", "\r", "a", "é", " ");
  let wrong = 0;
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 10 }).map((parts) => parts.join("")),
      fc.constantFrom(LF, CR),
      (text, newline) => {
        // One record: lines end only within quotes, or at its end.
        const bytes = Buffer.from(text);
        const lineEnd = newline === LF ? "\n" : "\r";
        const inner = (text.endsWith(lineEnd) ? text.slice(0, -1) : text).replaceAll(/"[^"]*"/g, "");
        fc.pre(isRecord(text) && !inner.includes(lineEnd));
        const found = findQuoteFault(bytes, { start: 0, end: bytes.length }, newline);
        if (found !== null) wrong += 1;
        expect(found).toBe(byParser(text, newline));
      },
    ),
    { numRuns: 5_000 },
  );
  expect(wrong).toBeGreaterThan(100);
});
