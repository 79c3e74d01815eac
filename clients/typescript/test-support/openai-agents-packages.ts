import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const PACKAGES = ["@openai/agents@0.20.0", "zod@4.6.7"];
/** Folder in which npm installs the SDK on first use. */
export const OPENAI_AGENTS_FOLDER = resolve(
  import.meta.dirname,
  "../../../node_modules/.cache/openai-agents",
);

/** The part of the SDK that the tests use. */
export interface OpenAiAgents {
  readonly Agent: new (settings: object) => object;
  readonly OpenAIChatCompletionsModel: new (client: unknown, model: string) => object;
  readonly run: (agent: object, input: string, options?: object) => Promise<AsyncIterable<unknown>>;
  readonly setTraceProcessors: (processors: readonly object[]) => void;
  readonly setTracingDisabled: (isDisabled: boolean) => void;
  readonly tool: (settings: object) => object;
}

/** Loads the real packages. Throws when npm cannot install them. */
export async function loadOpenAiAgents(): Promise<OpenAiAgents> {
  if (!existsSync(join(OPENAI_AGENTS_FOLDER, "node_modules/@openai/agents"))) {
    mkdirSync(OPENAI_AGENTS_FOLDER, { recursive: true });
    const options = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    const args = ["install", "--prefix", OPENAI_AGENTS_FOLDER, ...options, ...PACKAGES];
    const { status, stderr } = spawnSync("npm", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }
  const { resolve: find } = createRequire(join(OPENAI_AGENTS_FOLDER, "package.json"));
  return (await import(pathToFileURL(find("@openai/agents")).href)) as OpenAiAgents;
}
