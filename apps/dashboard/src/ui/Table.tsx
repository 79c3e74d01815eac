import type { ReactNode } from "react";
import "./table.css";

export interface Column<Row> {
  readonly key: string;
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Right-aligned, with tabular figures. */
  readonly isNumeric?: boolean;
}

interface TableProps<Row> {
  /** The table's name, always available to screen readers. */
  readonly caption: string;
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** On a narrow screen, `stacks` turns rows into cards; `scrolls` scrolls sideways. */
  readonly narrow?: "stacks" | "scrolls";
  /** Shown without rows. */
  readonly empty?: ReactNode;
}

/** A plain table of at most a few hundred rows. The first column names the row. */
export function Table<Row>({
  caption,
  isCaptionHidden = false,
  columns,
  rows,
  rowKey,
  narrow = "scrolls",
  empty,
}: TableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    <section className={`table-box table-${narrow}`} aria-label={caption} tabIndex={0}>
      <table>
        <caption className={isCaptionHidden ? "visually-hidden" : undefined}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, isNumeric }) => (
              <th key={key} scope="col" className={isNumeric ? "numeric" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column, index) => (
                <Cell key={column.key} column={column} row={row} isFirst={index === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell<Row>({
  column,
  row,
  isFirst,
}: {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly isFirst: boolean;
}) {
  const className = column.isNumeric ? "numeric" : undefined;
  const label = typeof column.title === "string" ? column.title : undefined;
  return isFirst ? (
    <th scope="row" className={className} data-label={label}>
      {column.cell(row)}
    </th>
  ) : (
    <td className={className} data-label={label}>
      {column.cell(row)}
    </td>
  );
}
