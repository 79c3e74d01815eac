import { setImmediate as nextTurn } from "node:timers/promises";
import type { ImportFormat } from "@assay/contract";
import { DomainError } from "@assay/domain";
import { unreadable } from "../http/validate.ts";
import { type AcceptRows, patientAccept } from "./accept-chunk.ts";
import { ImportTally } from "./import-tally.ts";
import { startReaderThread } from "./reader-thread.ts";
import type { Reading } from "./row-collector.ts";
import { UnreadableFile } from "./row-reader.ts";

/** The size of a piece: large enough that moving it to the thread and back costs little. */
const PIECE_BYTES = 256 * 1024;
const PATIENCE_MS = 60_000;
const RETRY_MS = 250;

interface ImportFile {
  readonly format: ImportFormat;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly accept: AcceptRows;
  /** Aborted when nobody waits for the answer, or the service stops: the import then ends with the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Reads a file in a thread and accepts its rows chunk by chunk. The next piece is read while one is accepted, and there
 * is never more in memory. An error after the first rows reports how far it got; accepted rows stay.
 */
export async function runImport(file: ImportFile): Promise<ImportTally> {
  const tally = new ImportTally();
  const thread = startReaderThread(file.format);
  const accept = patientAccept(file.accept, {
    patienceMs: PATIENCE_MS,
    retryMs: RETRY_MS,
    signal: file.signal,
  });

  async function settle(reading: Reading): Promise<void> {
    for (const chunk of reading.chunks) {
      file.signal.throwIfAborted();
      tally.addChunk(chunk, await accept(chunk));
      await nextTurn();
    }
    tally.endReading(reading);
  }

  try {
    let reading: Promise<Reading> | null = null;
    for await (const piece of inPieces(untilAborted(file.bytes, file.signal))) {
      const next = thread.read(piece);
      if (reading !== null) await settle(await reading);
      reading = next;
    }
    if (reading !== null) await settle(await reading);
    await settle(await thread.finish());
    return tally;
  } catch (error) {
    throw explain(error, tally);
  } finally {
    await thread.close();
  }
}

/** Joins small packets. Each piece has its own buffer, which can be moved to a thread. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let packets: Uint8Array[] = [];
  let size = 0;
  for await (const packet of bytes) {
    packets.push(packet);
    size += packet.length;
    if (size < PIECE_BYTES) continue;
    yield joined(packets, size);
    [packets, size] = [[], 0];
  }
  if (size > 0) yield joined(packets, size);
}

function joined(packets: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const piece = new Uint8Array(size);
  let at = 0;
  for (const packet of packets) {
    piece.set(packet, at);
    at += packet.length;
  }
  return piece;
}

/** Passes bytes on; throws the signal's reason as soon as it is aborted, even while no bytes arrive. */
export async function* untilAborted(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const iterator = bytes[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted.promise]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    // Not awaited, because it waits for bytes that may never come. It releases the request, whose rest can then be skipped.
    iterator.return?.().catch(() => undefined);
  }
}

function explain(error: unknown, { events, lastLine }: ImportTally): unknown {
  if (error instanceof UnreadableFile) return unreadable(error.message);
  if (!(error instanceof DomainError) || lastLine === 0) return error;
  const { kind, message, faults, retryAfterSeconds, limit } = error;
  const progress = `${events.toLocaleString("en-US")} rows up to line ${lastLine} were accepted and stay; sending them again is safe, because each event_id counts once.`;
  return new DomainError(kind, `${message} ${progress}`, {
    faults,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(limit === null ? {} : { limit }),
  });
}
