/** Calls of one day and of about the same prompt length. */
export interface CallCell {
  readonly day: number;
  /** Number of the prompt's length class. */
  readonly step: number;
  readonly calls: number;
}

/** A cell and how many of its calls to draw. */
export interface CellQuota extends CallCell {
  readonly quota: number;
}

/**
 * Allocates a sample to cells by systematic sampling: with the cells in a row, it takes every `calls / items`-th call from a random start
 * on. Each cell gets its share, rounded up or down. Each call is drawn with probability `items / calls`, also in cells that are too small
 * to get a call every time. `start` is uniform, from 0 to below 1.
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
