import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { IMPORT_MEDIA_TYPES, type ImportFormat } from "@assay/contract";
import { DomainError } from "@assay/domain";
import { contentCoding } from "../http/raw-request.ts";
import { unreadable } from "../http/validate.ts";

/** Contract §6, before and after decompression. */
const MAX_IMPORT_BYTES = 100 * 1024 * 1024;

const FORMATS: Readonly<Record<string, ImportFormat>> = {
  [IMPORT_MEDIA_TYPES.csv]: "csv",
  [IMPORT_MEDIA_TYPES.json]: "json",
  [IMPORT_MEDIA_TYPES.ndjson]: "ndjson",
  "application/ndjson": "ndjson",
  "application/jsonl": "ndjson",
};

/** Reads the format from the media type. Throws `unsupported-media-type`. */
export function formatOf(headers: IncomingHttpHeaders): ImportFormat {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const format = FORMATS[type.trim()];
  const named = Object.values(IMPORT_MEDIA_TYPES).join(", ");
  if (format === undefined) throw unsupported(`Name the file's format in Content-Type: ${named}.`);
  const charset = parameters.map(charsetOf).find(Boolean);
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8" && charset !== "us-ascii")
    throw unsupported(`Send the file in UTF-8, not in ${charset}.`);
  return format;
}

function charsetOf(parameter: string): string | undefined {
  const [name, value = ""] = parameter.split("=");
  return name?.trim() === "charset" ? value.trim().replaceAll('"', "") : undefined;
}

/** How large a file may be, and what to do with a larger one. */
export interface FileLimit {
  readonly bytes: number;
  readonly advice: string;
}

const IMPORT_LIMIT: FileLimit = { bytes: MAX_IMPORT_BYTES, advice: "send the file in parts." };

/**
 * Returns the body's bytes, decompressed, as they arrive. Throws `invalid-body`, `unsupported-media-type` or `body-too-large`,
 * also during the iteration. When it ends early, the request itself stays intact, so that it can still be answered.
 */
export function importBytes(
  request: IncomingMessage,
  limit: FileLimit = IMPORT_LIMIT,
): AsyncIterable<Uint8Array> {
  const { headers } = request;
  const encoding = contentCoding(headers);
  if (encoding !== "identity" && encoding !== "gzip")
    throw unsupported("Send the body plain or with Content-Encoding: gzip.");
  if (Number(headers["content-length"] ?? 0) > limit.bytes) throw tooLarge("The body", limit);
  const received = bounded(request.iterator({ destroyOnReturn: false }), "The body", limit);
  return notEmpty(
    encoding === "gzip" ? bounded(inflated(received), "The decompressed body", limit) : received,
  );
}

async function* bounded(
  bytes: AsyncIterable<Uint8Array>,
  what: string,
  limit: FileLimit,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > limit.bytes) throw tooLarge(what, limit);
    yield piece;
  }
}

async function* inflated(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // The error reaches the reader of gunzip.
  pipeline(Readable.from(bytes), gunzip, () => undefined);
  try {
    for await (const piece of gunzip) yield piece as Uint8Array;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    throw code.startsWith("Z_") ? unreadable("The body is not valid gzip.") : error;
  } finally {
    gunzip.destroy();
  }
}

async function* notEmpty(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  for await (const piece of bytes) {
    if (piece.length > 0) isEmpty = false;
    yield piece;
  }
  if (isEmpty) throw emptyFile();
}

/** The error of a body without a byte. */
export function emptyFile(): DomainError {
  return unreadable("The body is empty: send the file's bytes.");
}

function unsupported(detail: string): DomainError {
  return new DomainError("unsupported-media-type", detail);
}

function tooLarge(what: string, { bytes, advice }: FileLimit): DomainError {
  return new DomainError("body-too-large", `${what} is larger than ${bytes / 1024 ** 2} MiB: ${advice}`);
}
