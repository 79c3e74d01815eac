import { parentPort, workerData } from "node:worker_threads";
import type { ImportFormat } from "@assay/contract";
import { yieldThread } from "../yield-thread.ts";
import { openReader } from "./open-reader.ts";
import type { ReaderReply, ReaderRequest } from "./reader-thread.ts";
import { RowCollector } from "./row-collector.ts";
import { UnreadableFile } from "./row-reader.ts";

// The thread's entry: reads one file, one answer per piece.
yieldThread();

const collector = new RowCollector();
const reader = openReader((workerData as { format: ImportFormat }).format, collector);

parentPort?.on("message", (bytes: ReaderRequest) => {
  const reply = read(bytes);
  const moved =
    "reading" in reply ? reply.reading.chunks.flatMap(({ body, lines }) => [body.buffer, lines.buffer]) : [];
  parentPort?.postMessage(reply, moved);
});

function read(bytes: ReaderRequest): ReaderReply {
  try {
    if (bytes === null) reader.end();
    else reader.push(Buffer.from(bytes.buffer));
    return { reading: collector.take() };
  } catch (error) {
    if (error instanceof UnreadableFile) return { unreadable: error.message };
    throw error;
  }
}
