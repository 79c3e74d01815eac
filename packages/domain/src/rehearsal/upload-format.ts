import { isRecord } from "../json.ts";

/** The file formats from which a dataset can be made. */
export const UPLOAD_FORMATS = ["jsonl", "csv", "openai-evals", "promptfoo", "inspect", "langfuse"] as const;
export type UploadFormat = (typeof UPLOAD_FORMATS)[number];

/** Guesses the format of a file; null: it could be any. */
export function guessFormat(text: string): UploadFormat | null {
  const start = text.slice(0, 1_000).trimStart();
  const isJson = start.startsWith("{") || start.startsWith("[");
  return isJson ? guessJson(text.trimStart()) : guessText(start);
}

/** A file whose first line is a complete object is JSON Lines, unless it is one of the tools' documents. */
function guessJson(text: string): UploadFormat | null {
  const end = text.indexOf("\n");
  const first = parse(end < 0 ? text : text.slice(0, end));
  if (!isRecord(first)) return guessDocument(first ?? parse(text));
  const document = guessDocument(first);
  if (document !== null) return document;
  return "ideal" in first ? "openai-evals" : "input" in first ? "jsonl" : null;
}

function guessDocument(value: unknown): UploadFormat | null {
  if (Array.isArray(value)) return guessList(value);
  if (!isRecord(value)) return null;
  if (Array.isArray(value.samples)) return "inspect";
  if (Array.isArray(value.tests)) return "promptfoo";
  return Array.isArray(value.data) ? guessList(value.data) : null;
}

function guessList([first]: readonly unknown[]): UploadFormat | null {
  if (!isRecord(first)) return null;
  if ("vars" in first) return "promptfoo";
  return "expectedOutput" in first || "expected_output" in first || "datasetId" in first ? "langfuse" : null;
}

function guessText(start: string): UploadFormat | null {
  const [header = ""] = start.split(/[\r\n]/, 1);
  const columns = header.split(",").map((name) => name.trim().replaceAll('"', ""));
  if (columns.includes("input")) return "csv";
  return /^(?:- |tests:)|\n(?:- (?:vars|description|assert)|tests):/.test(start) ? "promptfoo" : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The list of inputs in a document, and the name of the member that contains it; null if the document is the list. */
export interface DocumentList {
  readonly rows: readonly unknown[];
  readonly member: string | null;
}

const MEMBERS = { promptfoo: "tests", inspect: "samples", langfuse: "data" } as const;
/** Formats that are one document. */
export type DocumentFormat = keyof typeof MEMBERS;

export function isDocumentFormat(format: UploadFormat): format is DocumentFormat {
  return format in MEMBERS;
}

/** Finds the inputs of a document: the document is a list, or the format's member is one. Returns a sentence if neither is. */
export function listIn(format: DocumentFormat, document: unknown): DocumentList | string {
  const member = MEMBERS[format];
  if (Array.isArray(document)) return { rows: document, member: null };
  const rows = isRecord(document) ? document[member] : undefined;
  return Array.isArray(rows)
    ? { rows, member }
    : `The file must be a list, or an object with a list under \`${member}\`.`;
}
