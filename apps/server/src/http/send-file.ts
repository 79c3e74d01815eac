import { Readable } from "node:stream";
import type { AnswerFile } from "@assay/contract";
import type { FastifyReply } from "fastify";

/** Sends a file part by part, as fast as the caller reads it; browsers save it under its name. */
export function sendFile(reply: FastifyReply, { mediaType, name, parts }: AnswerFile): FastifyReply {
  return reply
    .type(mediaType)
    .header("content-disposition", `attachment; filename="${name}"`)
    .send(Readable.from(parts, { objectMode: false }));
}
