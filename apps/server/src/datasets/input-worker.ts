import { parentPort } from "node:worker_threads";
import { yieldThread } from "../yield-thread.ts";
import { type InputPortion, type InputTask, type PreparedInputs, prepareInputs } from "./prepare-inputs.ts";

// The thread's entry. Each task gets one answer, after its inputs in portions, so that receiving them blocks nobody.
const ITEMS_AT_A_TIME = 500;

yieldThread();

parentPort?.on("message", (task: InputTask) => {
  const answer = prepareInputs(task);
  if ("faults" in answer) return parentPort?.postMessage(answer);
  const { items, ...rest } = answer;
  for (let at = 0; at < items.length; at += ITEMS_AT_A_TIME)
    parentPort?.postMessage({ portion: items.slice(at, at + ITEMS_AT_A_TIME) } satisfies InputPortion);
  parentPort?.postMessage({ ...rest, items: [] } satisfies PreparedInputs);
});
