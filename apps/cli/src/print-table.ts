/** Prints a table whose first line is the header. */
export function printTable(lines: readonly (readonly string[])[]): void {
  const [head = []] = lines;
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]) =>
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  console.log("");
  for (const [index, line] of lines.entries()) {
    print(line);
    if (index === 0) console.log(widths.map((width) => "─".repeat(width)).join("  "));
  }
  console.log("");
}

/** Formats a share: 0.123 becomes "12.3%". */
export const formatPercent = (share: number): string => `${formatNumber(100 * share)}%`;

/** Formats a number with three significant digits, or with all digits before the decimal point if there are more. */
export function formatNumber(value: number): string {
  return Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
