// One answer of a model, traced by Langfuse for JavaScript 5 and scored.
import { LangfuseClient } from "@langfuse/client";
import { observeOpenAI } from "@langfuse/openai";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { propagateAttributes, startActiveObservation } from "@langfuse/tracing";
import { NodeSDK } from "@opentelemetry/sdk-node";
import OpenAI from "openai";

const kind = process.argv[2];
const sdk = new NodeSDK({ spanProcessors: [new LangfuseSpanProcessor()] });
sdk.start();
const langfuse = new LangfuseClient();
const metadata = { "feature_flag.key": "greeting", "feature_flag.result.variant": "treatment" };
const messages = [{ role: "user", content: "What is a share?" }];
const openai = observeOpenAI(
  new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: "k", maxRetries: 0 }),
);
await propagateAttributes({ userId: process.env.USER_ID, sessionId: "s1", metadata }, () =>
  startActiveObservation("request", async () => {
    try {
      const request = { model: "gpt-5-mini", messages };
      if (kind === "stream") {
        const options = { stream: true, stream_options: { include_usage: true } };
        for await (const _ of await openai.chat.completions.create({ ...request, ...options }));
      } else await openai.chat.completions.create(request);
    } catch (error) {
      if (kind !== "error") throw error;
    }
    langfuse.score.activeTrace({ name: "helpful", value: 0.5, dataType: "NUMERIC", comment: "so so" });
    langfuse.score.activeTrace({ name: "tone", value: "kind", dataType: "CATEGORICAL" });
  }),
);
await langfuse.flush();
await sdk.shutdown();
const fallback = await langfuse.prompt.get("greeting", { fallback: "Answer." });
if (!fallback.isFallback) throw new Error("there is no such prompt");
