import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { DemoScore } from "./demo-definition.ts";
import { DEMOS } from "./demos.ts";

/** The demos' judge, with the settings to use it. */
export interface DemoJudge {
  readonly url: string;
  readonly model: string;
  close(): Promise<void>;
}

/** Not a model: each demo says in its reasons where a score comes from. */
const MODEL = "demo-judge";

/** Starts an OpenAI-compatible endpoint on this machine that answers with each demo's scores. No model is called. */
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
  const judged = judge(await text(request));
  response.setHeader("content-type", "application/json");
  if (judged === null) {
    response.statusCode = 400;
    response.end(JSON.stringify({ error: { message: "Only the demos' answers have a score." } }));
    return;
  }
  const { score, reason } = judged;
  const message = { role: "assistant", content: JSON.stringify({ reason, score }), refusal: null };
  response.end(
    JSON.stringify({
      id: "demo",
      object: "chat.completion",
      created: 0,
      model: MODEL,
      choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    }),
  );
}

/** Scores the answer in a request for a judgement; null when no demo knows it. */
function judge(body: string): DemoScore | null {
  const answer = findAnswer(body);
  for (const demo of Object.values(DEMOS)) {
    const judged = demo.judge(answer);
    if (judged !== null) return judged;
  }
  return null;
}

/** The last message of the request is a JSON object with the answer. Any other text has no score. */
function findAnswer(body: string): string {
  try {
    const { messages } = JSON.parse(body) as { messages: readonly { content: string }[] };
    return String((JSON.parse(messages.at(-1)?.content ?? "") as { answer: unknown }).answer);
  } catch {
    return "";
  }
}
