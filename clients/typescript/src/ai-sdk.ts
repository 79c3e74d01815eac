/** Observes model calls made through the Vercel AI SDK. */

import type { CallOptions, Client } from "./client.ts";
import { aiSdkFormat, aiSdkRequest } from "./model-call/ai-sdk-format.ts";

/** What any version of the AI SDK passes to a middleware. */
interface Call {
  readonly params: unknown;
  readonly model: unknown;
}

/** A middleware for `wrapLanguageModel` of the `ai` package, version 5 or later. */
export interface LanguageModelMiddleware {
  /** Only for the package's types. */
  readonly specificationVersion: "v3";
  wrapGenerate<T>(call: Call & { doGenerate(): PromiseLike<T> }): Promise<T>;
  wrapStream<T extends Streaming>(call: Call & { doStream(): PromiseLike<T> }): Promise<T>;
}

interface Streaming {
  readonly stream: ReadableStream;
}

/**
 * Returns a middleware for `wrapLanguageModel` that records the calls of the model as `client.wrap` does. The
 * AI SDK retries outside its models, so each attempt is a separate call.
 */
export function middleware(
  client: Client,
  experiment: string,
  options?: CallOptions,
): LanguageModelMiddleware {
  const observe = <T>({ params, model }: Call, invoke: () => Promise<T>): Promise<T> =>
    client.observe(
      { experiment, ...options, format: aiSdkFormat(model), args: [aiSdkRequest(params, model)] },
      invoke,
    );
  return {
    specificationVersion: "v3",
    wrapGenerate: (call) => observe(call, async () => await call.doGenerate()),
    wrapStream: async <T extends Streaming>(call: Call & { doStream(): PromiseLike<T> }): Promise<T> => {
      let answer: T | undefined;
      const stream = await observe(call, async () => {
        answer = await call.doStream();
        return answer.stream;
      });
      return { ...(answer as T), stream };
    },
  };
}
