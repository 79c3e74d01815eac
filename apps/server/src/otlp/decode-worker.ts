import { parentPort } from "node:worker_threads";
import { DomainError, type TraceFact } from "@assay/domain";
import type { DecodeReply, DecodeRequest } from "./decode-thread.ts";
import { decodeBody } from "./read-request.ts";
import { addFacts, itemsOf } from "./traces.ts";

// The thread's entry. It reads one body at a time and hands out its facts in portions, one per request for more.
const FACTS_AT_A_TIME = 500;

let replies: Iterator<DecodeReply> = [][Symbol.iterator]();
parentPort?.on("message", (request: DecodeRequest) => {
  if (request !== "next") replies = read(request);
  parentPort?.postMessage(replies.next().value);
});

function* read({ bytes, signal, encoding }: Exclude<DecodeRequest, "next">): Iterator<DecodeReply> {
  try {
    const batch = decodeBody(Buffer.from(bytes), signal, encoding);
    let [portion, count] = [new Map<string, TraceFact[]>(), 0];
    for (const { traceId, facts } of itemsOf(batch)) {
      addFacts(portion, traceId, facts);
      count += facts.length;
      if (count < FACTS_AT_A_TIME) continue;
      yield { portion };
      [portion, count] = [new Map(), 0];
    }
    yield { portion, malformed: batch.malformed };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    yield { unreadable: error.message };
  }
}
