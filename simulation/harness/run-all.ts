import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Cell, Repetitions } from "./cell.ts";
import type { Tally } from "./run-cell.ts";
import type { Row } from "./section.ts";
import { toVerdict } from "./verdict.ts";

export interface RunOptions {
  readonly form: keyof Repetitions;
  readonly threads: number;
  /** Called for each finished cell. */
  readonly onRow?: (row: Row) => void;
}

/**
 * Runs the cells of the catalogue that have this form in `threads` threads, and judges them. The figures do not depend
 * on the number of threads, because every cell has its own random source.
 */
export async function runAll(cells: readonly Cell[], options: RunOptions): Promise<readonly Row[]> {
  const chosen = cells.filter(({ repetitions }) => repetitions[options.form] > 0);
  const rows = new Map<Cell, Row>();
  // The iterator is shared: each thread takes the next cell when it has finished one.
  const queue = chosen.values();
  const work = async () => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    for (const cell of queue) {
      const row = await runOn(worker, cell, cell.repetitions[options.form]);
      rows.set(cell, row);
      options.onRow?.(row);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: options.threads }, work));
  return chosen.map((cell) => rows.get(cell)!);
}

async function runOn(worker: Worker, cell: Cell, repetitions: number): Promise<Row> {
  worker.postMessage({ id: cell.id, repetitions });
  const [tallies] = (await once(worker, "message")) as [readonly Tally[]];
  const verdicts = cell.measures.map((measure, index) => toVerdict(measure, tallies[index]!));
  return { cell, repetitions, verdicts };
}
