import { parseArgs } from "node:util";
import { CommandError } from "./command-error.ts";

/** Reads `--name value` options and positional arguments; throws a `CommandError` for anything else. */
export function readOptions<const N extends string>(
  args: readonly string[],
  names: readonly N[],
): { readonly options: Partial<Record<N, string>>; readonly positionals: readonly string[] } {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { options: values as Partial<Record<N, string>>, positionals };
  } catch (error) {
    throw new CommandError(`${(error as Error).message} See npm run assay -- help.`);
  }
}
