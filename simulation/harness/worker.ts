import { parentPort } from "node:worker_threads";
import { SECTIONS } from "../catalogue.ts";
import { runCell } from "./run-cell.ts";
import { cellsOf } from "./section.ts";

const cells = new Map(SECTIONS.flatMap(cellsOf).map((cell) => [cell.id, cell]));

parentPort?.on("message", ({ id, repetitions }: { id: string; repetitions: number }) => {
  const cell = cells.get(id);
  if (cell === undefined) throw new Error(`No cell ${id}.`);
  parentPort?.postMessage(runCell(cell, repetitions));
});
