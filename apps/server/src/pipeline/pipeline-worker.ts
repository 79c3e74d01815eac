import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { DomainError } from "@assay/domain";
import { analyzeEvents, type RunFrame } from "@assay/pipeline";
import { clickhouseEventStore } from "@assay/storage/event-store";
import type { PipelineReply, PipelineSetup } from "./pipeline-threads.ts";

// The thread's entry point: one run per message. It reads the events itself, so that no large answer passes the event loop.
const NICE = 10;

// On Linux this lowers only this thread's priority, so that requests come first when cores are few. Other systems may refuse it or
// apply it to the whole process.
if (process.platform === "linux") setPriority(NICE);

const events = clickhouseEventStore((workerData as PipelineSetup).events);

parentPort?.on("message", (frame: RunFrame) => {
  void reply(frame).then((message) => parentPort?.postMessage(message));
});

async function reply(frame: RunFrame): Promise<PipelineReply> {
  try {
    return { results: await analyzeEvents(frame, events) };
  } catch (error) {
    if (error instanceof DomainError) return { problem: error.kind, detail: error.message };
    return { problem: null, detail: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
