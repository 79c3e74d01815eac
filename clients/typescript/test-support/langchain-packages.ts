import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const PACKAGES = [
  ...["@langchain/core@1.4.0", "@langchain/openai@1.6.0", "@langchain/anthropic@1.5.11"],
  ...["@langchain/langgraph@1.7.3", "langchain@1.5.14"],
];

/** Folder in which npm installs LangChain on first use. */
export const LANGCHAIN_FOLDER = resolve(import.meta.dirname, "../../../node_modules/.cache/langchain");

interface Message {
  readonly text: string;
  readonly tool_calls?: readonly unknown[];
}

/** The part of a chat model that the tests use. */
export interface ChatModel {
  invoke(input: unknown, options?: object): Promise<Message>;
  stream(input: unknown, options?: object): Promise<AsyncIterable<Message>>;
  bindTools(tools: readonly object[]): ChatModel;
  withStructuredOutput(schema: object): { invoke(input: unknown): Promise<unknown> };
}

/** The part of an agent that the tests use. */
export interface Graph {
  invoke(input: object, config: object): Promise<unknown>;
  stream(input: object, config: object): Promise<AsyncIterable<unknown>>;
}

type ModelClass = new (fields: object) => ChatModel;

export interface Langchain {
  readonly ChatOpenAI: ModelClass;
  readonly ChatAnthropic: ModelClass;
  readonly OpenAIEmbeddings: new (fields: object) => { embedQuery(text: string): Promise<unknown> };
  readonly InMemoryCache: new () => object;
  readonly createAgent: (settings: object) => Graph;
  readonly createMiddleware: (settings: object) => object;
  readonly tool: (run: (input: never) => unknown, settings: object) => object;
  readonly ToolMessage: new (fields: object) => object;
}

/** Loads the real packages. Throws when npm cannot install them. */
export async function loadLangchain(): Promise<Langchain> {
  if (!existsSync(join(LANGCHAIN_FOLDER, "node_modules/langchain"))) {
    mkdirSync(LANGCHAIN_FOLDER, { recursive: true });
    const options = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    const args = ["install", "--prefix", LANGCHAIN_FOLDER, ...options, ...PACKAGES];
    const { status, stderr } = spawnSync("npm", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }
  const { resolve: find } = createRequire(join(LANGCHAIN_FOLDER, "package.json"));
  const load = async (name: string) => (await import(pathToFileURL(find(name)).href)) as Langchain;
  const [openai, anthropic, caches, agents] = await Promise.all(
    ["@langchain/openai", "@langchain/anthropic", "@langchain/core/caches", "langchain"].map(load),
  );
  return {
    ChatOpenAI: openai!.ChatOpenAI,
    OpenAIEmbeddings: openai!.OpenAIEmbeddings,
    ChatAnthropic: anthropic!.ChatAnthropic,
    InMemoryCache: caches!.InMemoryCache,
    createAgent: agents!.createAgent,
    createMiddleware: agents!.createMiddleware,
    tool: agents!.tool,
    ToolMessage: agents!.ToolMessage,
  };
}
