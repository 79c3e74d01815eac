import { DomainError, type FieldFault, invalidBody, JSON_LIMITS, measureJson } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import { contentCoding } from "./raw-request.ts";
import { escapePointer, unreadable } from "./validate.ts";

const COMPRESSED = new DomainError(
  "unsupported-media-type",
  "Send the body without Content-Encoding: this address does not accept compressed bodies.",
);

/**
 * Reads JSON bodies. An empty body counts as absent, since many clients send a POST without one. Refuses prototype
 * keys, deep nesting, text that not every store can hold, compressed bodies and other media types.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (contentCoding(request.headers) !== "identity") return done(COMPRESSED);
    const { excess } = measureJson(body, JSON_LIMITS);
    if (excess !== null) return done(unreadable(`The body ${excess}`));
    parse(request, body.toString("utf8"), (error, value) => {
      const fault = error ? null : findFault(value);
      if (fault === null) done(error, value);
      else done(invalidBody([fault]));
    });
  });
}

/** Finds the first value that no body may contain; null when there is none. */
function findFault(value: unknown): FieldFault | null {
  if (typeof value === "string") return textFault(value);
  if (typeof value !== "object" || value === null) return null;
  return Array.isArray(value) ? faultInArray(value) : faultInObject(value);
}

function faultInArray(items: readonly unknown[]): FieldFault | null {
  for (const [index, item] of items.entries()) {
    const fault = findFault(item);
    if (fault) return under(String(index), fault);
  }
  return null;
}

function faultInObject(fields: object): FieldFault | null {
  for (const [name, field] of Object.entries(fields)) {
    const nameFault = textFault(name);
    if (nameFault)
      return { ...nameFault, detail: "has a field whose name contains NUL or half a surrogate pair." };
    const fault = findFault(field);
    if (fault) return under(name, fault);
  }
  return null;
}

/** Finds what no text may contain: NUL, which PostgreSQL cannot store, or half a surrogate pair, which UTF-8 cannot encode. */
export function textFault(text: string): FieldFault | null {
  if (text.includes("\0")) return { pointer: "", detail: "must not contain the character NUL." };
  return text.isWellFormed() ? null : { pointer: "", detail: "contains half a surrogate pair." };
}

function under(name: string, { pointer, detail }: FieldFault): FieldFault {
  return { pointer: `/${escapePointer(name)}${pointer}`, detail };
}
