import { parentPort } from "node:worker_threads";
import { analyze } from "@assay/pipeline";
import type { AnalysisReply, AnalysisRequest } from "./analysis-thread.ts";

// The thread's entry: one analysis per message, in order.
parentPort?.on("message", ({ id, frame, snapshot }: AnalysisRequest) => {
  const reply: AnalysisReply = { id, results: analyze(frame, snapshot) };
  parentPort?.postMessage(reply);
});
