import { Readable } from "node:stream";
import { NDJSON, toWire, type ValueOf } from "@assay/contract";
import type { FastifyReply } from "fastify";
import type { TSchema } from "typebox";

/**
 * Streams an answer as NDJSON, as fast as the caller reads it. A failure before the first line is answered as a
 * problem. A later failure breaks the connection, so that nobody mistakes a part for the whole.
 */
export async function sendRows<S extends TSchema>(
  reply: FastifyReply,
  schema: S,
  rows: AsyncIterable<ValueOf<S>>,
): Promise<FastifyReply> {
  const iterator = rows[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* lines() {
    for (let next = first; !next.done; next = await iterator.next())
      yield `${JSON.stringify(toWire(schema, next.value))}\n`;
  }
  return reply.type(NDJSON).send(Readable.from(lines()));
}
