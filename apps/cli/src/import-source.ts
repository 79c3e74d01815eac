import { stat } from "node:fs/promises";
import { IMPORT_MEDIA_TYPES, type ImportFormat } from "@assay/contract";
import { CommandError } from "./command-error.ts";

const MAX_MIB = 100;
const FORMATS: Readonly<Record<string, ImportFormat>> = {
  csv: "csv",
  json: "json",
  ndjson: "ndjson",
  jsonl: "ndjson",
};

/** A file to send. */
export interface ImportSource {
  readonly path: string;
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Checks a file before it is sent. Without a given format, the file's extension decides. Throws a `CommandError`. */
export async function findImportSource(path: string, format: string | undefined): Promise<ImportSource> {
  const type = IMPORT_MEDIA_TYPES[formatOf(path.replace(/\.gz$/, ""), format)];
  return sourceOf(path, type, {
    mib: MAX_MIB,
    advice: `Send it in parts: split -C ${MAX_MIB - 1}m splits between lines, and each part of a CSV file needs the header. Sending a row twice is safe.`,
  });
}

interface SourceLimit {
  readonly mib: number;
  readonly advice: string;
}

/** Checks a file before it is sent with this media type. Throws a `CommandError`. */
export async function sourceOf(path: string, mediaType: string, limit: SourceLimit): Promise<ImportSource> {
  const size = await sizeOf(path, limit);
  const headers = {
    "content-type": mediaType,
    "content-length": String(size),
    ...(path.endsWith(".gz") ? { "content-encoding": "gzip" } : {}),
  };
  return { path, size, headers };
}

function formatOf(path: string, named: string | undefined): ImportFormat {
  const format = FORMATS[named ?? path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
  if (format !== undefined) return format;
  throw new CommandError(
    named === undefined
      ? `${path} does not end in .csv, .json, .ndjson or .jsonl: give its format with --format csv, json or ndjson.`
      : `--format must be csv, json or ndjson, not "${named}".`,
  );
}

async function sizeOf(path: string, { mib: maxMib, advice }: SourceLimit): Promise<number> {
  const file = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === "ENOENT" ? `${path} does not exist.` : `${path} cannot be read: ${error.message}.`,
    );
  });
  if (!file.isFile()) throw new CommandError(`${path} is not a file.`);
  if (file.size === 0) throw new CommandError(`${path} is empty.`);
  if (file.size <= maxMib * 1024 ** 2) return file.size;
  const mib = Math.ceil(file.size / 1024 ** 2);
  throw new CommandError(`${path} has ${mib} MiB, and one upload accepts ${maxMib}. ${advice}`);
}
