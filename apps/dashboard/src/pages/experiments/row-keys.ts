/** Where the focus and the view are in a table of rows. */
interface RowsInView {
  /** The row that has the focus; null: none. */
  readonly focused: number | null;
  /** The first row in view. */
  readonly first: number;
  readonly count: number;
}

/**
 * Returns the row to which a key moves the focus: J to the next, K to the previous one. Null for other keys, or without
 * rows.
 */
export function rowAfter(key: string, { focused, first, count }: RowsInView): number | null {
  if (count === 0 || (key !== "j" && key !== "k")) return null;
  if (focused === null) return first;
  return Math.min(count - 1, Math.max(0, focused + (key === "j" ? 1 : -1)));
}
