import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { findRecording } from "./demo-recordings.ts";

/** The demo's judge, with the settings to use it. */
export interface DemoJudge {
  readonly url: string;
  readonly model: string;
  close(): Promise<void>;
}

/** The endpoint serves recordings of a real judge, made by AlpacaEval. */
const MODEL = "alpaca-eval-recordings";

/**
 * Starts an OpenAI-compatible endpoint on this machine that answers with the preferences recorded in the demo's data. A real model judged
 * that data; no model is called now.
 */
export async function startDemoJudge(): Promise<DemoJudge> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    model: MODEL,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const recording = findRecording(await text(request));
  response.setHeader("content-type", "application/json");
  if (recording === null) {
    response.statusCode = 400;
    response.end(JSON.stringify({ error: { message: "Only the demo's recorded answers have a score." } }));
    return;
  }
  const score = recording.preference;
  const reason = `Recorded: preferred to the answer of gpt-4-1106-preview with probability ${score}.`;
  const message = { role: "assistant", content: JSON.stringify({ reason, score }), refusal: null };
  response.end(
    JSON.stringify({
      id: `recording-${recording.number}`,
      object: "chat.completion",
      created: 0,
      model: MODEL,
      choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    }),
  );
}
