import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

interface CallRowsOptions {
  readonly count: number;
  readonly onOpen: (index: number) => void;
  /** Called when the last rows come into view. */
  readonly onNearEnd: () => void;
}

/** As in calls.css. */
const ROW_PX = 40;
/** Rows before the end at which the next page loads. */
const AHEAD = 60;
const PAGE_ROWS = 12;

/** Virtualizes the rows of a long table and manages the focused one. Arrow keys move the focus, Enter opens the row. */
export function useCallRows(
  box: RefObject<HTMLElement | null>,
  { count, onOpen, onNearEnd }: CallRowsOptions,
) {
  const [active, setActive] = useState(0);
  const isMoved = useRef(false);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    // The focused row stays in the document while scrolling; otherwise the focus would return to the top of the page.
    rangeExtractor: (range) =>
      [...new Set([Math.min(active, count - 1), ...defaultRangeExtractor(range)])].sort((a, b) => a - b),
    useFlushSync: false,
  });
  const lastInSight = virtualizer.range?.endIndex ?? 0;
  useEffect(() => {
    if (lastInSight >= count - AHEAD) onNearEnd();
  }, [lastInSight, count, onNearEnd]);
  useLayoutEffect(() => {
    if (!isMoved.current) return;
    isMoved.current = false;
    box.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus({ preventScroll: true });
  }, [active, box]);
  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index));
    isMoved.current = next !== active;
    setActive(next);
    virtualizer.scrollToIndex(next, { align: "auto" });
  };
  const keyDown = (event: KeyboardEvent) => {
    const index = rowIndex(event.target);
    if (index === null) return;
    if (event.key === "Enter" || event.key === " ") onOpen(index);
    else if (event.key in STEPS) moveTo(STEPS[event.key]?.(index, count) ?? index);
    else return;
    event.preventDefault();
  };
  return { virtualizer, active, setActive, keyDown };
}

const STEPS: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  PageDown: (index) => index + PAGE_ROWS,
  PageUp: (index) => index - PAGE_ROWS,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Returns the index of the row that contains the target; null: none. */
export function rowIndex(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
  return row === null ? null : Number(row.dataset.index);
}
