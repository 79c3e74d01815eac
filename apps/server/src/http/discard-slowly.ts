import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { hasNoBody } from "./follow-connection.ts";

/** Bodies up to this size are discarded at once. */
const FAST_BYTES = 256 * 1024;
/** Milliseconds per further piece of all bodies together. Pieces have up to 64 KiB, so this discards about 16 MB per second. */
const PIECE_MS = 4;

/**
 * Discards the bodies of requests that are answered before their body is read, such as those over their rate, and slows down the
 * senders of large ones. Node would read them as fast as they arrive: at 100 MB/s, two senders of refused requests keep the garbage
 * collector busy, which stops everybody's requests. Closing the connection instead would hide the answer from clients that send the
 * whole body before they read.
 */
export function discardUnreadSlowly(app: FastifyInstance): void {
  const slow = new Set<IncomingMessage>();

  function discard(body: IncomingMessage): void {
    let bytes = 0;
    body.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= FAST_BYTES) return;
      slow.add(body);
      body.pause();
      setTimeout(() => body.resume(), PIECE_MS * slow.size);
    });
    body.once("close", () => slow.delete(body));
  }

  app.addHook("onSend", (request, _reply, _payload, done) => {
    const { raw } = request;
    if (!raw.complete && raw.readableFlowing === null && !hasNoBody(request)) discard(raw);
    done();
  });
}
