/** Observes model calls and agents of the Vercel AI SDK. */

import type { AgentOptions } from "./agent.ts";
import { endedBy, endOwnRun, type FrameworkRun, startRun, trackToolCall } from "./agent-events.ts";
import { observeAttempts } from "./ai-sdk-attempts.ts";
import type { CallOptions, Client } from "./client.ts";
import { keepNewest } from "./keep-newest.ts";
import { aiSdkFormat, aiSdkRequest } from "./model-call/ai-sdk-format.ts";
import { fieldAt, textAt } from "./model-call/foreign-value.ts";

/** What the AI SDK, in any version, passes to a middleware. */
interface Call {
  readonly params: unknown;
  readonly model: unknown;
}

/** A middleware for `wrapLanguageModel` and `wrapEmbeddingModel` of the `ai` package, version 5 or later. */
export interface LanguageModelMiddleware {
  /** Required only by the package's types. */
  readonly specificationVersion: "v3";
  wrapGenerate<T>(call: Call & { doGenerate(): PromiseLike<T> }): Promise<T>;
  wrapStream<T extends Streaming>(call: Call & { doStream(): PromiseLike<T> }): Promise<T>;
  wrapEmbed<T>(call: Call & { doEmbed(): PromiseLike<T> }): Promise<T>;
}

interface Streaming {
  readonly stream: ReadableStream;
}

/**
 * Returns a middleware for `wrapLanguageModel` and `wrapEmbeddingModel` that records the model's calls as `client.wrap`
 * does. All attempts of one call count as one. After an error that the AI SDK may retry, the call is recorded when no
 * attempt follows the pause, or when you flush or close the client.
 */
export function middleware(
  client: Client,
  experiment: string,
  { agentName, ...options }: CallOptions & AgentOptions = {},
): LanguageModelMiddleware {
  const observeAttempt = observeAttempts(client);
  const observe = <T>({ params, model }: Call, invoke: () => PromiseLike<T>): Promise<T> =>
    observeAttempt(
      { params, model },
      { experiment, ...options, format: aiSdkFormat(model, agentName), args: [aiSdkRequest(params, model)] },
      invoke,
    );
  return {
    specificationVersion: "v3",
    wrapGenerate: (call) => observe(call, () => call.doGenerate()),
    wrapEmbed: (call) => observe(call, () => call.doEmbed()),
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

/** A telemetry integration for the `ai` package, version 7 or later. */
export interface TelemetryIntegration {
  onStart(event: object): void;
  executeLanguageModelCall<T>(call: Executing<T>): PromiseLike<T>;
  executeTool<T>(call: Executing<T>): PromiseLike<T>;
  onToolExecutionEnd(event: object): void;
  onEnd(event: object): void;
  onAbort(event: object): void;
  onError(event: unknown): void;
}

interface Executing<T> {
  readonly callId: string;
  execute(): PromiseLike<T>;
}

/**
 * Returns an integration for `telemetry: { integrations: […] }` of a call or an agent, or for `registerTelemetry`. A
 * call that offers tools counts as a run: outside of `withRun`, its model calls get a run id and its end is recorded.
 * Each tool that it executes is recorded as a `tool_call`. Use `middleware` to record the model calls themselves.
 */
export function telemetry(client: Client, experiment: string, options?: AgentOptions): TelemetryIntegration {
  const runs = new Map<string, FrameworkRun>();
  const runOf = (event: unknown) => runs.get(textAt(event, "callId"));
  const within = <T>({ callId, execute }: Executing<T>): PromiseLike<T> => {
    const run = runs.get(callId);
    return run?.isOwn ? client.withRun(run.run, execute) : execute();
  };
  const end = (event: unknown, completed: boolean) => {
    endOwnRun(runOf(event), completed);
    runs.delete(textAt(event, "callId"));
  };
  return {
    onStart(event) {
      const callId = textAt(event, "callId");
      const run = fieldAt(event, "tools") && startRun({ client, experiment, ...options }, callId);
      if (run) keepNewest(runs, callId, run);
    },
    executeLanguageModelCall: within,
    executeTool: within,
    onToolExecutionEnd(event) {
      const run = runOf(event);
      const output = fieldAt(event, "toolOutput");
      const error = textAt(output, "type") === "tool-error" ? fieldAt(output, "error") : undefined;
      if (run)
        trackToolCall(run, textAt(event, "toolCall", "toolName"), {
          latency_ms: fieldAt(event, "toolExecutionMs") as number,
          tool_arguments: fieldAt(event, "toolCall", "input"),
          tool_result: fieldAt(output, "output"),
          ...(error !== undefined && endedBy(error)),
        });
    },
    onEnd: (event) => end(event, true),
    onAbort: (event) => end(event, false),
    onError: (event) => end(event, false),
  };
}
