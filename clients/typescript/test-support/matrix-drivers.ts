import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import {
  embed,
  generateObject,
  generateText,
  jsonSchema,
  streamText,
  tool,
  wrapEmbeddingModel,
  wrapLanguageModel,
} from "ai";
import OpenAI from "openai";
import { middleware } from "../src/ai-sdk.ts";
import { callbackHandler } from "../src/langchain.ts";
import type { TestClient } from "../src/testing.ts";
import { type ChatModel, LANGCHAIN_FOLDER, type Langchain } from "./langchain-packages.ts";

const QUESTION = "What is a bucket?";
const messages = [{ role: "user" as const, content: QUESTION }];
const GPT = "gpt-4o-mini";
const EMBEDDING = "text-embedding-3-small";
const CLAUDE = "claude-haiku-4-5";
const GEMINI = "gemini-2.5-flash";

const objectOf = (name: string) => ({
  ...{ type: "object" as const, properties: { [name]: { type: "string" as const } } },
  ...{ required: [name], additionalProperties: false },
});
const CITY = objectOf("city");
const ANSWER = objectOf("answer");
const GPT_FORMAT = { type: "json_schema" as const, name: "answer", schema: ANSWER, strict: true };

/** Makes the calls of one row of the matrix. What is absent, the framework does not offer. */
export interface Driver {
  readonly title: string;
  whole(more?: object): Promise<unknown>;
  chunks(more?: object, signal?: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** What is added to a call that offers these tools. */
  offering(tools: readonly string[]): object;
  structured(): Promise<unknown>;
  several?(): Promise<unknown>;
  retries?(): Promise<unknown>;
  embeddings?(): Promise<unknown>;
}

interface Setting {
  readonly client: TestClient;
  readonly url: string;
}

/** The tested version without its last part, as the rows are named. */
function release(name: string, modules = resolve(import.meta.dirname, "../../../node_modules")): string {
  const { version } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
  return version.split(".").slice(0, 2).join(".");
}

function openaiOf({ client, url }: Setting): OpenAI {
  return client.wrap(new OpenAI({ apiKey: "k", baseURL: `${url}/v1` }), "greeting");
}

export function chatDriver(setting: Setting): Driver {
  const openai = openaiOf(setting);
  const { completions } = openai.chat;
  const body = { model: GPT, messages };
  return {
    title: `openai ${release("openai")}, chat`,
    whole: (more) => completions.create({ ...body, ...more }),
    chunks: (more, signal) => completions.create({ ...body, stream: true, ...more }, { signal }),
    offering: (names) => ({
      tools: names.map((name) => ({ type: "function", function: { name, parameters: CITY } })),
    }),
    structured: () =>
      completions.parse({ ...body, response_format: { type: "json_schema", json_schema: GPT_FORMAT } }),
    several: () => completions.create({ ...body, n: 2 }),
    retries: () => completions.create(body),
    embeddings: () => openai.embeddings.create({ model: EMBEDDING, input: ["a text"] }),
  };
}

export function responsesDriver(setting: Setting): Driver {
  const { responses } = openaiOf(setting);
  const body = { model: GPT, input: QUESTION };
  return {
    title: `openai ${release("openai")}, responses`,
    whole: (more) => responses.create({ ...body, ...more }),
    chunks: (more, signal) => responses.create({ ...body, stream: true, ...more }, { signal }),
    offering: (names) => ({
      tools: names.map((name) => ({ type: "function", name, parameters: CITY, strict: true })),
    }),
    structured: () => responses.parse({ ...body, text: { format: GPT_FORMAT } }),
    retries: () => responses.create(body),
  };
}

export function anthropicDriver({ client, url }: Setting): Driver {
  const anthropic = client.wrap(new Anthropic({ apiKey: "k", baseURL: url }), "greeting");
  const body = { model: CLAUDE, max_tokens: 99, messages };
  return {
    title: `@anthropic-ai/sdk ${release("@anthropic-ai/sdk")}`,
    whole: (more) => anthropic.messages.create({ ...body, ...more }),
    chunks: (more, signal) => anthropic.messages.create({ ...body, stream: true, ...more }, { signal }),
    offering: (names) => ({ tools: names.map((name) => ({ name, input_schema: CITY })) }),
    structured: () =>
      anthropic.messages.create({
        ...body,
        output_config: { format: { type: "json_schema", schema: ANSWER } },
      }),
    retries: () => anthropic.messages.create(body),
  };
}

export function googleDriver({ client, url }: Setting): Driver {
  const httpOptions = { baseUrl: url, retryOptions: { attempts: 2, initialDelay: 0.01 } };
  const { models } = client.wrap(new GoogleGenAI({ apiKey: "k", httpOptions }), "greeting");
  const body = { model: GEMINI, contents: QUESTION };
  return {
    title: `@google/genai ${release("@google/genai")}`,
    whole: (more) => models.generateContent({ ...body, config: { ...more } }),
    chunks: (more, abortSignal) =>
      models.generateContentStream({ ...body, config: { ...more, ...(abortSignal && { abortSignal }) } }),
    offering: (names) => ({
      tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: CITY })) }],
    }),
    structured: () =>
      models.generateContent({
        ...body,
        config: { responseMimeType: "application/json", responseJsonSchema: ANSWER },
      }),
    several: () => models.generateContent({ ...body, config: { candidateCount: 2 } }),
    retries: () => models.generateContent(body),
    embeddings: () => models.embedContent({ model: "gemini-embedding-001", contents: ["a text"] }),
  };
}

export function aiSdkDriver({ client, url }: Setting): Driver {
  const openai = createOpenAI({ apiKey: "k", baseURL: `${url}/v1` });
  const observer = middleware(client, "greeting");
  const model = wrapLanguageModel({ model: openai(GPT), middleware: observer });
  const embedder = wrapEmbeddingModel({ model: openai.embedding(EMBEDDING), middleware: observer });
  const body = { model, prompt: QUESTION };
  return {
    title: `AI SDK ${release("ai")}, OpenAI`,
    whole: (more) => generateText({ ...body, ...more }),
    chunks: async (more, abortSignal) =>
      streamText({ ...body, ...more, ...(abortSignal && { abortSignal }), onError: () => {} }).textStream,
    offering: (names) => ({
      tools: Object.fromEntries(names.map((name) => [name, tool({ inputSchema: jsonSchema(CITY) })])),
    }),
    structured: () => generateObject({ ...body, schema: jsonSchema(ANSWER) }),
    retries: () => generateText(body),
    embeddings: () => embed({ model: embedder, value: "a text" }),
  };
}

/** The rows of LangChain, with OpenAI and with Anthropic, and with Anthropic's client below `wrap`. */
export function langchainDrivers(
  { ChatOpenAI, ChatAnthropic, OpenAIEmbeddings }: Langchain,
  { client, url }: Setting,
): readonly Driver[] {
  const createClient = (options: ConstructorParameters<typeof Anthropic>[0]) =>
    client.wrap(new Anthropic({ ...options, baseURL: url }), "greeting");
  const callbacks = [callbackHandler(client, "greeting")];
  const openai = { apiKey: "k", model: GPT, callbacks, configuration: { baseURL: `${url}/v1` } };
  class WrappedEmbeddings extends OpenAIEmbeddings {
    readonly client = openaiOf({ client, url });
  }
  const anthropic = { apiKey: "k", model: CLAUDE, callbacks, maxTokens: 99, anthropicApiUrl: url };
  const version = release("@langchain/core", join(LANGCHAIN_FOLDER, "node_modules"));
  const driverOf = (provider: string, model: ChatModel): Driver => {
    const using = (more: object | undefined) =>
      more && "tools" in more ? model.bindTools(more.tools as readonly object[]) : model;
    return {
      title: `LangChain ${version}, ${provider}`,
      whole: (more) => using(more).invoke(QUESTION),
      chunks: (more, signal) => using(more).stream(QUESTION, signal && { signal }),
      offering: (names) => ({
        tools: names.map((name) => ({ type: "function", function: { name, parameters: CITY } })),
      }),
      structured: () => model.withStructuredOutput({ title: "answer", ...ANSWER }).invoke(QUESTION),
      retries: () => model.invoke(QUESTION),
    };
  };
  return [
    {
      ...driverOf("OpenAI", new ChatOpenAI(openai)),
      several: () => new ChatOpenAI({ ...openai, n: 2 }).invoke(QUESTION),
      embeddings: () => new WrappedEmbeddings({ apiKey: "k", model: EMBEDDING }).embedQuery("a text"),
    },
    driverOf("Anthropic", new ChatAnthropic(anthropic)),
    driverOf("Anthropic below `wrap`", new ChatAnthropic({ ...anthropic, createClient })),
  ];
}
