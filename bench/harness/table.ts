/** Prints a Markdown table with a heading and a line that explains the comparison. */
export function printTable(
  title: string,
  explanation: string,
  [head, ...rows]: readonly (readonly string[])[],
): void {
  if (!head) return;
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  console.log(`\n## ${title}\n\n${explanation}\n`);
  console.log([line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n"));
}
