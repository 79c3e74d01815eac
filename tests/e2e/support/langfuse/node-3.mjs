// One answer of a model, traced by Langfuse for JavaScript 3 and scored.
import { Langfuse, observeOpenAI } from "langfuse";
import OpenAI from "openai";

const kind = process.argv[2];
const langfuse = new Langfuse();
const metadata = { "feature_flag.key": "greeting", "feature_flag.result.variant": "treatment" };
const messages = [{ role: "user", content: "What is a share?" }];
const trace = langfuse.trace({ name: "request", userId: process.env.USER_ID, sessionId: "s1", metadata });
const parent = trace.span({ name: "answer" });
const openai = observeOpenAI(
  new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: "k", maxRetries: 0 }),
  { parent },
);
try {
  const request = { model: "gpt-5-mini", messages };
  if (kind === "stream") {
    const options = { stream: true, stream_options: { include_usage: true } };
    for await (const _ of await openai.chat.completions.create({ ...request, ...options }));
  } else await openai.chat.completions.create(request);
} catch (error) {
  if (kind !== "error") throw error;
}
parent.end();
trace.score({ name: "helpful", value: 0.5, dataType: "NUMERIC", comment: "so so" });
trace.score({ name: "tone", value: "kind", dataType: "CATEGORICAL" });
await langfuse.shutdownAsync();
const fallback = await langfuse.getPrompt("greeting", undefined, { fallback: "Answer." });
if (!fallback.isFallback) throw new Error("there is no such prompt");
