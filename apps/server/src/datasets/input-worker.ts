import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type InputTask, prepareInputs } from "./prepare-inputs.ts";

// The thread's entry: one answer per task.
const NICE = 10;

// On Linux this is the thread's own priority: requests go first where cores are few.
if (process.platform === "linux") setPriority(NICE);

parentPort?.on("message", (task: InputTask) => parentPort?.postMessage(prepareInputs(task)));
