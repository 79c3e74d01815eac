import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { benchExperiment, flushAll, startClient } from "../contestants/assay.ts";
import type { Workload } from "../harness/workload.ts";
import { anthropicReply, openaiReply, STREAM_CHUNKS } from "./model-replies.ts";

const EXPERIMENT = "answer-style";
const USER = "user-1";
const MESSAGES = [{ role: "user", content: "What is a bucket?" }] as const;
/** Whole answers and streams in one round. */
const PLAIN_CALLS = 200;
const PLAIN_BATCH = 10;
const STREAMS = 10;

/** One model call. Resolves with the number of chunks read, 1 for a whole answer. */
type ModelCall = () => Promise<number>;

/**
 * The same calls of provider packages with a `fetch` that answers from memory: each first unwrapped, then
 * wrapped.
 */
export async function workloads(): Promise<readonly Workload[]> {
  const openai = new OpenAI({ apiKey: "bench", maxRetries: 0, fetch: async (_, init) => openaiReply(init) });
  const anthropic = new Anthropic({
    apiKey: "bench",
    maxRetries: 0,
    fetch: async (_, init) => anthropicReply(init),
  });
  return [
    ...(await pair("OpenAI, whole answer", openai, chat)),
    ...(await pair("OpenAI, stream", openai, chatStream)),
    ...(await pair("Anthropic, whole answer", anthropic, message)),
    ...(await pair("Anthropic, stream", anthropic, messageStream)),
  ];
}

async function pair<Provider extends object>(
  name: string,
  provider: Provider,
  callOf: (provider: Provider) => ModelCall,
): Promise<readonly Workload[]> {
  const client = await startClient([benchExperiment(EXPERIMENT, 0)]);
  const wrapped = client.wrap(provider, EXPERIMENT, { user: USER });
  if (wrapped === provider) throw new Error(`${name}: the client does not know any call of this package.`);
  const isStream = name.endsWith("stream");
  return [
    repeated(name, callOf(provider), isStream),
    {
      ...repeated(`${name}, wrapped`, callOf(wrapped), isStream),
      settle: () => flushAll(client),
      async stop() {
        await client.close();
      },
    },
  ];
}

function repeated(name: string, call: ModelCall, isStream: boolean): Workload {
  return {
    name,
    calls: isStream ? STREAMS : PLAIN_CALLS,
    batch: isStream ? 1 : PLAIN_BATCH,
    async run(from, until) {
      let answered = 0;
      for (let i = from; i < until; i++) if ((await call()) === (isStream ? STREAM_CHUNKS : 1)) answered++;
      return answered;
    },
  };
}

function chat(openai: OpenAI): ModelCall {
  return async () => {
    const { choices } = await openai.chat.completions.create({ model: "large", messages: [...MESSAGES] });
    return choices.length;
  };
}

/** The caller requests the usage, so that both sides read the same chunks. */
function chatStream(openai: OpenAI): ModelCall {
  return async () => {
    const stream = await openai.chat.completions.create({
      model: "large",
      messages: [...MESSAGES],
      stream: true,
      stream_options: { include_usage: true },
    });
    return countChunks(stream);
  };
}

function message(anthropic: Anthropic): ModelCall {
  return async () => {
    const { content } = await anthropic.messages.create({
      model: "large",
      max_tokens: 1000,
      messages: [...MESSAGES],
    });
    return content.length;
  };
}

function messageStream(anthropic: Anthropic): ModelCall {
  return async () => {
    const stream = await anthropic.messages.create({
      model: "large",
      max_tokens: 1000,
      messages: [...MESSAGES],
      stream: true,
    });
    return countChunks(stream);
  };
}

async function countChunks(stream: AsyncIterable<unknown>): Promise<number> {
  let chunks = 0;
  for await (const _chunk of stream) chunks++;
  return chunks;
}
