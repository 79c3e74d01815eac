/** The observation of the model calls that the Vercel AI SDK makes. */

import type { Client, WrapOptions } from "./client.ts";
import { aiSdkFormat } from "./model-call/ai-sdk-format.ts";

/** What the AI SDK hands to a middleware, whichever its version. */
interface Call {
  readonly params: unknown;
  readonly model: unknown;
}

/** A middleware for `wrapLanguageModel` of the `ai` package, from its version 5 on. */
export interface LanguageModelMiddleware {
  /** Told to the types of the package only. */
  readonly specificationVersion: "v3";
  wrapGenerate<T>(call: Call & { doGenerate(): PromiseLike<T> }): Promise<T>;
  wrapStream<T extends Streaming>(call: Call & { doStream(): PromiseLike<T> }): Promise<T>;
}

interface Streaming {
  readonly stream: ReadableStream;
}

/**
 * Returns a middleware for `wrapLanguageModel` that records the calls of the model as `client.wrap` does. The AI SDK
 * retries above its models: each attempt is a call of its own.
 */
export function middleware(
  client: Client,
  experiment: string,
  options?: WrapOptions,
): LanguageModelMiddleware {
  const observe = <T>({ params, model }: Call, invoke: () => Promise<T>): Promise<T> =>
    client.observe({ experiment, ...options, format: aiSdkFormat(model), args: [params] }, invoke);
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
