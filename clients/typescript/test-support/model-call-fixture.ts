import OpenAI from "openai";
import { expect } from "vitest";
import type { ScriptedResponse } from "../../scenario-server/scripted-server.ts";
import type { ClientOptions } from "../src/client-options.ts";
import { makeLoadedClient, startService } from "./client-fixture.ts";
import { EXPERIMENT_ID, sampleConfig } from "./sample-config.ts";

export const CHAT = "/v1/chat/completions";
export const ASK = { model: "gpt-5-mini", messages: [{ role: "user" as const, content: "Say hello" }] };
export const STREAM = { ...ASK, stream: true as const };
export const USAGE = {
  prompt_tokens: 9,
  completion_tokens: 3,
  total_tokens: 12,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 1 },
};
/** The experiment, the user and the variant of every event. */
export const IDENTITY = { experiment_id: EXPERIMENT_ID, user_id: "ada", variant: "short" };

/** The event of a call that asks `ASK` and is answered by `completion()`. */
export const OPENAI_CALL = {
  ...IDENTITY,
  type: "model_call",
  latency_ms: expect.any(Number),
  provider: "localhost",
  requested_model: "gpt-5-mini",
  model: "gpt-5-mini-2026",
  input_tokens: 9,
  cached_input_tokens: 4,
  output_tokens: 3,
  reasoning_tokens: 1,
  finish_reason: "stop",
  error: false,
  prompt: "Say hello",
  response: "Hello you",
};

/** A whole chat completion. */
export function completion(changes: Record<string, unknown> = {}): ScriptedResponse {
  const message = { role: "assistant", content: "Hello you", refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
  const body = { id: "c1", object: "chat.completion", created: 1, model: "gpt-5-mini-2026", choices };
  return { status: 200, body: { ...body, usage: USAGE, ...changes } };
}

/** A chunk of a streamed chat completion. */
export function chunk(content: string | null, changes: Record<string, unknown> = {}) {
  const choices = [
    { index: 0, delta: content === null ? {} : { role: "assistant", content }, finish_reason: null },
  ];
  return {
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt-5-mini-2026",
    choices,
    ...changes,
  };
}

export const LAST = chunk(null, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
/** The chunk that arrives only when the usage was requested. */
export const USAGE_CHUNK = chunk(null, { choices: [], usage: USAGE });
export const HELLO = [chunk("Hello"), chunk(" you"), LAST];

/** A reply of server-sent events, each in a separate write. */
export function eventStream(
  events: readonly unknown[],
  end: "done" | "end" | "reset" | "hang" = "done",
): ScriptedResponse {
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    chunks: end === "done" ? [...chunks, "data: [DONE]\n\n"] : chunks,
    end: end === "done" ? "end" : end,
  };
}

/** Starts one server that acts as the service and the provider, and a client for it. */
export async function startObserved(options: ClientOptions = {}, config = sampleConfig()) {
  const server = await startService();
  server.script("/v1/config", { status: 200, body: config });
  server.script(CHAT, completion());
  const parts = await makeLoadedClient(server, options);
  const { client } = parts;
  /** Sends the tracked events, and returns all events so far without their ids and times. */
  const events = async () => {
    await client.flush();
    return server.batches.flat().map(({ event_id: _, timestamp: __, ...event }) => event);
  };
  /** The events of model calls among them. */
  const calls = async () => (await events()).filter(({ type }) => type === "model_call");
  const makeOpenai = () => new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 2 });
  const stop = async () => {
    await client.close();
    await server.stop();
  };
  return { ...parts, server, events, calls, makeOpenai, stop };
}

export type Observed = Awaited<ReturnType<typeof startObserved>>;
