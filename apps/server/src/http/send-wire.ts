import type { Operation, WireReplyOf } from "@assay/contract";
import type { FastifyReply } from "fastify";

export const JSON_CONTENT = { "content-type": "application/json; charset=utf-8" } as const;

/** Sends an answer that is already in the wire format, so that the hot paths pay for no conversion. */
export function sendWire<O extends Operation>(reply: FastifyReply, answer: WireReplyOf<O>): FastifyReply {
  const { status, body } = answer as { readonly status: number; readonly body?: unknown };
  reply.code(status);
  if (body === undefined) return reply.send();
  return reply.headers(JSON_CONTENT).send(JSON.stringify(body));
}
