import { isRecord } from "@assay/domain";
import { type Filter, filter, parse } from "scim2-parse-filter";
import { ScimError } from "./scim-error.ts";

const MAX_CHARACTERS = 1_000;
/** Compared exactly. All other texts are compared without regard to case (`caseExact` of the schemas). */
const EXACT = ["id", "externalid"];

/** Reads a filter of a search, given without the schema before its attributes (RFC 7644, 3.4.2.2). Throws a `ScimError`. */
export function readFilter(text: string): (resource: object) => boolean {
  if (text.length > MAX_CHARACTERS)
    throw new ScimError(
      400,
      `The filter must be a string of at most ${MAX_CHARACTERS} characters.`,
      "invalidFilter",
    );
  try {
    const matches = filter(foldFilter(parse(text)));
    return (resource) => matches(foldTexts(resource));
  } catch {
    throw new ScimError(400, "The filter cannot be read: see RFC 7644, 3.4.2.2.", "invalidFilter");
  }
}

function foldFilter(one: Filter): Filter {
  switch (one.op) {
    case "and":
    case "or":
      return { ...one, filters: one.filters.map(foldFilter) };
    case "not":
      return { ...one, filter: foldFilter(one.filter) };
    case "[]":
      return { ...one, valFilter: foldFilter(one.valFilter) };
    case "pr":
      return one;
    default:
      return isExact(one.attrPath) ? one : { ...one, compValue: foldTexts(one.compValue) };
  }
}

function foldTexts<T>(value: T): T;
function foldTexts(value: unknown): unknown {
  if (typeof value === "string") return value.toLowerCase();
  if (Array.isArray(value)) return value.map((item) => foldTexts<unknown>(item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isExact(name) ? item : foldTexts<unknown>(item)]),
  );
}

const isExact = (name: string): boolean => EXACT.includes(name.toLowerCase());
