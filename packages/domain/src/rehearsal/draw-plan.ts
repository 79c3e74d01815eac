/** Calls of one day and of about the same prompt length. */
export interface CallCell {
  readonly day: number;
  /** Step of the prompt's length. */
  readonly step: number;
  readonly calls: number;
}

/** How many calls to draw of a cell. */
export interface CellQuota extends CallCell {
  readonly quota: number;
}

/**
 * Allocates a sample to cells systematically: with the cells in a row, every `calls / items`-th call is taken, beginning at a random place.
 * So each cell gets its share, rounded up or down, and over all beginnings each call is equally likely to be drawn: with the
 * probability `items / calls`, even in cells too small to get one each time. `start` is uniform, from 0 to below 1.
 */
export function planDraw(cells: readonly CallCell[], items: number, start: number): readonly CellQuota[] {
  const all = countCalls(cells);
  const wanted = Math.min(items, all);
  const ordered = [...cells].sort((a, b) => a.day - b.day || a.step - b.step);
  let passed = 0;
  return ordered.map((cell) => {
    const before = Math.floor((passed * wanted) / all + start);
    passed += cell.calls;
    return { ...cell, quota: Math.floor((passed * wanted) / all + start) - before };
  });
}

/** Returns the number of calls in the cells. */
export function countCalls(cells: readonly CallCell[]): number {
  return cells.reduce((sum, { calls }) => sum + calls, 0);
}
