import { Refusal } from "./refusal.ts";

const INSERT = /^INSERT\s+INTO\s+[\w.`"]+\s*(?:\([^()]*\)\s*)?FORMAT\s+(JSONEachRow|JSONCompactEachRow)$/i;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const brackets = { jsoneachrow: ["{", "}"], jsoncompacteachrow: ["[", "]"] } as const;

/**
 * Checks that `rows` can only be read as rows of the INSERT in `sql`. Throws a `Refusal` otherwise.
 *
 * chDB ends inline data at a blank line and executes the text after it as SQL. JSON.stringify escapes every control
 * character, so each of its lines begins and ends with a bracket and none is blank.
 */
export function requireSafeRows(sql: string, rows: Buffer): void {
  const format = INSERT.exec(sql)?.[1]?.toLowerCase();
  if (format !== "jsoneachrow" && format !== "jsoncompacteachrow") {
    throw new Refusal(
      "unsafe-rows",
      "Data is accepted only with INSERT INTO table FORMAT JSONEachRow or JSONCompactEachRow",
    );
  }
  const [open, close] = brackets[format];
  if (!everyLineIsBracketed(rows, open.charCodeAt(0), close.charCodeAt(0))) {
    throw new Refusal("unsafe-rows", `Every line of the data must be one row ${open}...${close}, none blank`);
  }
}

function everyLineIsBracketed(rows: Buffer, open: number, close: number): boolean {
  if (rows.includes(CARRIAGE_RETURN)) return false;
  let start = 0;
  while (start < rows.length) {
    const newline = rows.indexOf(NEWLINE, start);
    const end = newline === -1 ? rows.length : newline;
    if (rows[start] !== open || rows[end - 1] !== close) return false;
    start = end + 1;
  }
  return true;
}
