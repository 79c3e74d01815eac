import { parentPort, workerData } from "node:worker_threads";
import { DomainError } from "@assay/domain";
import { analyzeEvents, analyzeHoldback, analyzeRehearsal, replayEvents } from "@assay/pipeline";
import { clickhouseEventStore } from "@assay/storage/event-store";
import { yieldThread } from "../yield-thread.ts";
import type { PipelineReply, PipelineSetup, PipelineWork } from "./pipeline-threads.ts";

// The thread's entry: one job per message. It reads the events itself, so no large answer passes the event loop.
yieldThread();

const events = clickhouseEventStore((workerData as PipelineSetup).events);

parentPort?.on("message", (work: PipelineWork) => {
  void reply(work).then((message) => parentPort?.postMessage(message));
});

async function reply(work: PipelineWork): Promise<PipelineReply> {
  try {
    return { done: await carryOut(work) };
  } catch (error) {
    if (error instanceof DomainError) return { problem: error.kind, detail: error.message };
    return { problem: null, detail: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function carryOut(work: PipelineWork) {
  switch (work.kind) {
    case "analyze":
      return analyzeEvents(work.frame, events);
    case "replay":
      return replayEvents(work.frame, events);
    case "analyze-holdback":
      return analyzeHoldback(work, events);
    case "rehearse":
      return analyzeRehearsal(work.facts);
    case "write-evidence": {
      // Loaded only in a thread that writes evidence: few do, and it needs as many modules as everything else.
      const { writeEvidence } = await import("../evidence/write-evidence.ts");
      return writeEvidence(work, events);
    }
  }
}
