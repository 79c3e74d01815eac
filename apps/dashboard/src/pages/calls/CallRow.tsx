import { memo } from "react";
import type { CallColumn } from "./call-columns.tsx";
import type { StoredCall } from "./queries.ts";

interface CallRowProps {
  readonly call: StoredCall;
  readonly columns: readonly CallColumn[];
  readonly index: number;
  /** Pixels from the top of the table's body. */
  readonly start: number;
  readonly colors: ReadonlyMap<string, string>;
  /** The row that Tab reaches. */
  readonly isActive: boolean;
  readonly isOpen: boolean;
}

/** A row of the table, memoized so that scrolling does not redraw it. */
export const CallRow = memo(function CallRow({
  call,
  columns,
  index,
  start,
  colors,
  isActive,
  isOpen,
}: CallRowProps) {
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      data-index={index}
      tabIndex={isActive ? 0 : -1}
      style={{ transform: `translateY(${start}px)` }}
    >
      {columns.map(({ key, cell, isNumeric }) => (
        <td key={key} className={`call-${key}${isNumeric ? " numeric" : ""}`}>
          {cell(call, colors)}
        </td>
      ))}
    </tr>
  );
});
