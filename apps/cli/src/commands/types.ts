import { writeFile } from "node:fs/promises";
import type { ExperimentSchema } from "@assay/contract";
import type { Static } from "typebox";
import { serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { readOptions } from "../options.ts";
import { type Described, describe } from "../types/described.ts";
import { isJavaPackage, toJava } from "../types/java.ts";
import { toPython } from "../types/python.ts";
import { toTypeScript } from "../types/typescript.ts";

interface Language {
  /** The extension of its files. */
  readonly ending: string;
  /** The marker that begins a comment. */
  readonly comment: string;
  write(described: Described, packageName: string): string;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  typescript: { ending: ".ts", comment: "//", write: toTypeScript },
  python: { ending: ".py", comment: "#", write: toPython },
  java: { ending: ".java", comment: "//", write: toJava },
};

/** Writes types for a language's type checker: the names of experiments, variants, variables and business metrics. */
export async function types(args: readonly string[]): Promise<void> {
  const { options } = readOptions(args, ["language", "out", "package"]);
  const { out, package: packageName = "experiments" } = options;
  const { language = languageOf(out) } = options;
  const chosen = LANGUAGES[language];
  if (chosen === undefined)
    throw new CommandError(
      `--language must be one of ${Object.keys(LANGUAGES).join(", ")}, not "${language}".`,
    );
  if (!isJavaPackage(packageName))
    throw new CommandError(
      `--package must be the name of a Java package without reserved words, not "${packageName}".`,
    );
  const experiments = await (await serviceApi()).call<Static<typeof ExperimentSchema>[]>(
    "GET",
    "/v1/experiments",
  );
  const head = `${chosen.comment} Written by assay types. Run it again when your experiments change.\n`;
  const text = head + chosen.write(describe(experiments), packageName);
  if (out === undefined) process.stdout.write(text);
  else
    await writeFile(out, text).catch((error: Error) => {
      throw new CommandError(`Cannot write ${out}: ${error.message}.`);
    });
}

function languageOf(file = ""): string {
  const found = Object.entries(LANGUAGES).find(([, { ending }]) => file.endsWith(ending));
  return found?.[0] ?? "typescript";
}
