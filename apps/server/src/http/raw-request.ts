import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { DomainError, JSON_LIMITS, type JsonLimits, measureJson } from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { unreadable } from "./validate.ts";

/** Contract §6: a body is at most 5 MiB, before and after decompression. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;

const JSON_TYPE = "application/json";

/** The kinds of body that a route takes. */
export interface BodyForm {
  readonly isTaken: (mediaType: string) => boolean;
  /** The media types, for the error message that refuses others. */
  readonly said: string;
  /** Whether an empty body is allowed and has a meaning. */
  readonly mayBeEmpty?: boolean;
}

/** The form of most bodies: JSON. */
export const JSON_BODY: BodyForm = {
  isTaken: (type) => type === JSON_TYPE || /^application\/json\b/i.test(type),
  said: JSON_TYPE,
};

const inflate = promisify(gunzip);

/** Keeps bodies as the received bytes, which are parsed once and queued unchanged. */
export function readRawBodies(plane: FastifyInstance, bodyLimit: number = MAX_BODY_BYTES): void {
  plane.removeAllContentTypeParsers();
  // Fastify remembers the parser of a type, but does not cache the fallback to `*`.
  for (const type of [JSON_TYPE, "*"])
    plane.addContentTypeParser(type, { parseAs: "buffer", bodyLimit }, (_request, body, done) =>
      done(null, body),
    );
}

/**
 * Returns the body's bytes, decompressed: a promise only when there is something to decompress. Throws or rejects with
 * `unsupported-media-type`, `body-too-large` or `invalid-body`.
 */
export function readBody(
  request: FastifyRequest,
  maxBytes: number = MAX_BODY_BYTES,
  { isTaken, said, mayBeEmpty = false }: BodyForm = JSON_BODY,
): Buffer | Promise<Buffer> {
  const type = request.headers["content-type"];
  if (type !== undefined && !isTaken(type)) {
    throw new DomainError("unsupported-media-type", `Send the body as ${said}.`);
  }
  const body = request.body ?? (mayBeEmpty ? Buffer.alloc(0) : undefined);
  if (!Buffer.isBuffer(body) || (body.length === 0 && !mayBeEmpty))
    throw unreadable("The body is empty: send JSON.");
  const encoding = contentCoding(request.headers);
  if (encoding === "identity") return body;
  if (encoding !== "gzip")
    throw new DomainError("unsupported-media-type", "Send the body plain or with Content-Encoding: gzip.");
  return inflate(body, { maxOutputLength: maxBytes }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ERR_BUFFER_TOO_LARGE")
      throw new DomainError(
        "body-too-large",
        "The body is larger than this address takes when decompressed.",
      );
    throw unreadable("The body is not valid gzip.");
  });
}

/** Returns the coding of a body in lower case (RFC 9110 §8.4.1: it is case-insensitive); `identity` for a plain one. */
export function contentCoding(headers: IncomingHttpHeaders): string {
  return (headers["content-encoding"] ?? "identity").toLowerCase();
}

/** Throws `invalid-body` when a body is nested too deeply or has too many values to parse. */
export function rejectExcess(body: Buffer, limits: JsonLimits = JSON_LIMITS): void {
  const { excess } = measureJson(body, limits);
  if (excess !== null) throw unreadable(`The body ${excess}`);
}

/** Parses the body's JSON. Throws `invalid-body`. */
export function parseJson(body: Buffer, limits: JsonLimits = JSON_LIMITS): unknown {
  rejectExcess(body, limits);
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    // The parser's message quotes the body near the fault, so it goes to the sender only.
    throw unreadable(`The body is not JSON: ${(error as Error).message}`);
  }
}
