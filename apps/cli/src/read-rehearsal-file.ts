import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { CommandError } from "./command-error.ts";

/** The content of a file: the body of the request, and the prices and the dataset to store before it. */
export interface RehearsalFile {
  readonly body: Readonly<Record<string, unknown>>;
  /** Prices of models. Those without a day apply from today. */
  readonly prices: readonly Readonly<Record<string, unknown>>[];
  /** Null when the file names a stored dataset. */
  readonly dataset: { readonly path: string; readonly name: string } | null;
}

/** A limit on YAML references, which could make a small file expand to a huge one. */
const MAX_ALIASES = 100;

/** Reads the description of a rehearsal. Prompts may be in files next to it (`prompt_file`). Throws a `CommandError`. */
export async function readRehearsalFile(path: string): Promise<RehearsalFile> {
  const { dataset, arms, prices: listed, ...rest } = record(parseYaml(await readText(path), path), path);
  const from = (file: string) => resolve(dirname(path), file);
  const body = { ...rest, ...(arms === undefined ? {} : { arms: await readArms(arms, from) }) };
  const prices = readPrices(listed, path);
  if (dataset === undefined) return { body, prices, dataset: null };
  const { file, name } = record(dataset, `dataset in ${path}`);
  if (typeof file !== "string")
    throw new CommandError(`dataset in ${path} needs a file; use dataset_id for a stored dataset.`);
  return { body, prices, dataset: { path: from(file), name: typeof name === "string" ? name : file } };
}

function readPrices(prices: unknown, path: string): RehearsalFile["prices"] {
  if (prices === undefined) return [];
  if (!Array.isArray(prices)) throw new CommandError(`prices in ${path} must be a list.`);
  return prices.map((price) => record(price, `A price in ${path}`));
}

async function readArms(arms: unknown, from: (file: string) => string): Promise<unknown> {
  if (!Array.isArray(arms)) return arms;
  return Promise.all(
    arms.map(async (arm: unknown) => {
      if (typeof arm !== "object" || arm === null || !("prompt_file" in arm)) return arm;
      const { prompt_file: file, ...rest } = arm;
      if (typeof file !== "string") throw new CommandError("prompt_file must be the name of a file.");
      return { ...rest, prompt: await readText(from(file)) };
    }),
  );
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new CommandError(`Cannot read ${path}: ${(error as Error).message}.`);
  }
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text, { maxAliasCount: MAX_ALIASES });
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n");
    throw new CommandError(`${path} is not YAML: ${line}`);
  }
}

function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new CommandError(`${what} must be a mapping: see docs/rehearsals.md for an example.`);
}
