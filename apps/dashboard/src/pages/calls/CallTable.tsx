import { memo, useCallback, useRef } from "react";
import { type CallColumn, callColumns } from "./call-columns.tsx";
import { type CallOrder, orderAfterPress, splitOrder } from "./call-search.ts";
import type { StoredCall } from "./queries.ts";
import { rowIndex, useCallRows } from "./use-call-rows.ts";

interface CallTableProps {
  /** The calls loaded so far, in order. */
  readonly calls: readonly StoredCall[];
  /** False: more can be loaded. */
  readonly isWhole: boolean;
  readonly colors: ReadonlyMap<string, string>;
  /** Judges score calls of this experiment. */
  readonly isJudged: boolean;
  readonly order: CallOrder;
  readonly onOrder: (order: ReturnType<typeof splitOrder>) => void;
  /** The open call. */
  readonly openId: string | null;
  readonly onOpen: (eventId: string) => void;
  readonly onNearEnd: () => void;
}

/** A table that handles keys is a grid, so that screen readers pass them on. */
const GRID = { role: "grid" } as const;

/** A virtual table of any length: arrow keys move, Enter opens. */
export function CallTable({
  calls,
  isWhole,
  colors,
  isJudged,
  order,
  onOrder,
  openId,
  onOpen,
  onNearEnd,
}: CallTableProps) {
  const box = useRef<HTMLDivElement>(null);
  const openAt = useCallback(
    (index: number | null) => {
      const call = index === null ? undefined : calls[index];
      if (call !== undefined) onOpen(call.event_id);
    },
    [calls, onOpen],
  );
  const columns = callColumns(isJudged);
  const rows = useCallRows(box, { count: calls.length, onOpen: openAt, onNearEnd });
  return (
    <div ref={box} className="call-table-box">
      <table
        {...GRID}
        className={isJudged ? "call-table call-table-judged" : "call-table"}
        aria-label="Model calls"
        aria-rowcount={isWhole ? calls.length + 1 : -1}
        onKeyDown={rows.keyDown}
        onClick={({ target }) => openAt(rowIndex(target))}
        onFocus={({ target }) => rows.setActive((active) => rowIndex(target) ?? active)}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.key} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody style={{ height: rows.virtualizer.getTotalSize() }}>
          {rows.virtualizer.getVirtualItems().map(({ index, start }) => {
            const call = calls[index];
            return call === undefined ? null : (
              <CallRow
                key={call.event_id}
                call={call}
                columns={columns}
                index={index}
                start={start}
                colors={colors}
                isActive={index === rows.active}
                isOpen={call.event_id === openId}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps extends Pick<CallTableProps, "order" | "onOrder"> {
  readonly column: CallColumn;
}

const ARROWS = { none: "", ascending: " ▲", descending: " ▼" } as const;

/** A column header; pressing a sortable one sorts by it. */
function Head({ column: { key, title, meaning, sort, isNumeric }, order, onOrder }: HeadProps) {
  const current = splitOrder(order);
  const direction = sort !== current.sort ? "none" : current.direction === "asc" ? "ascending" : "descending";
  return (
    <th
      scope="col"
      className={`call-${key}${isNumeric ? " numeric" : ""}`}
      title={meaning}
      aria-sort={sort === undefined ? undefined : direction}
    >
      {sort === undefined ? (
        title
      ) : (
        <button
          type="button"
          className="call-sort"
          onClick={() => onOrder(splitOrder(orderAfterPress(order, sort)))}
        >
          {title}
          <span aria-hidden="true">{ARROWS[direction]}</span>
        </button>
      )}
    </th>
  );
}

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
const CallRow = memo(function CallRow({
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
