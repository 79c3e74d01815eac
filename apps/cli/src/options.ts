import { parseArgs } from "node:util";
import { CommandError } from "./command-error.ts";

/** The parsed arguments of a command. */
interface ReadOptions<N extends string, F extends string> {
  readonly options: Partial<Record<N, string>>;
  readonly flags: Partial<Record<F, boolean>>;
  readonly positionals: readonly string[];
}

const HELP = "See npm run assay -- help.";

/**
 * Reads `--name value` options, `--flag` switches and up to `most` positional arguments. Throws a `CommandError` for anything
 * else, including extra arguments: `hold answer style` would otherwise hold an experiment named `answer`.
 */
export function readOptions<const N extends string, const F extends string = never>(
  args: readonly string[],
  names: readonly N[],
  flags: readonly F[] = [],
  most = 0,
): ReadOptions<N, F> {
  const read = parse(args, names, flags);
  const extra = read.positionals[most];
  if (extra !== undefined)
    throw new CommandError(
      `"${extra}" is an extra argument: put values with spaces in quotes, and begin options with --. ${HELP}`,
    );
  return read;
}

function parse<const N extends string, const F extends string>(
  args: readonly string[],
  names: readonly N[],
  flags: readonly F[],
): ReadOptions<N, F> {
  try {
    const options = Object.fromEntries([
      ...names.map((name) => [name, { type: "string" as const }] as const),
      ...flags.map((name) => [name, { type: "boolean" as const }] as const),
    ]);
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const pick = (wanted: readonly string[]) =>
      Object.fromEntries(Object.entries(values).filter(([name]) => wanted.includes(name)));
    return {
      options: pick(names) as Partial<Record<N, string>>,
      flags: pick(flags) as Partial<Record<F, boolean>>,
      positionals,
    };
  } catch (error) {
    throw new CommandError(`${(error as Error).message.replace(/\.?$/, ".")} ${HELP}`);
  }
}
