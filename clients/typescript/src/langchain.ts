/** Observes model calls made through LangChain. */

import type { CallOptions, Client } from "./client.ts";
import { keepNewest } from "./keep-newest.ts";
import { fieldAt, textAt } from "./model-call/foreign-value.ts";
import { langchainFormat, langchainRequest } from "./model-call/langchain-format.ts";

type Ended = Promise<unknown> | undefined;

/** The part of a `@langchain/core` callback handler that is used here. */
export interface CallbackHandler {
  readonly name: string;
  /** True: LangChain calls the handler where the model is called, so that the user of `withUser` is known. */
  readonly awaitHandlers: boolean;
  copy(): CallbackHandler;
  handleChatModelStart(
    model: unknown,
    messages: readonly (readonly unknown[])[],
    runId: string,
    parentRunId?: unknown,
    extra?: unknown,
    tags?: unknown,
    metadata?: unknown,
  ): void;
  handleLLMStart(
    model: unknown,
    prompts: readonly string[],
    runId: string,
    parentRunId?: unknown,
    extra?: unknown,
    tags?: unknown,
    metadata?: unknown,
  ): void;
  handleLLMNewToken(
    token: string,
    indices: unknown,
    runId: string,
    parentRunId?: unknown,
    tags?: unknown,
    fields?: unknown,
  ): void;
  handleLLMEnd(output: unknown, runId: string, parentRunId?: unknown, tags?: unknown, extra?: unknown): Ended;
  handleLLMError(error: unknown, runId: string): Ended;
}

/** A run whose model call is observed. Each resolves once its part is recorded, and never rejects. */
interface Run {
  take(token: string, chunk: unknown): void;
  end(output: unknown): Ended;
  fail(error: unknown): Ended;
}

/**
 * Each client's open runs: a model and a chain may each have a handler. LangChain does not report a stream that was left early, so
 * its run stays open.
 */
const openRuns = new WeakMap<Client, Map<string, Run>>();

/**
 * Returns a handler for the `callbacks` of a model, a chain or a call. It records each model call as `client.wrap`
 * does. An answer from LangChain's cache is not a call.
 */
export function callbackHandler(client: Client, experiment: string, options?: CallOptions): CallbackHandler {
  const runs = openRuns.get(client) ?? new Map<string, Run>();
  openRuns.set(client, runs);
  const nameOf = (runId: string) => `${experiment} ${runId}`;
  const start = (model: unknown, input: unknown, runId: string, extra: unknown, metadata: unknown) => {
    if (runs.has(nameOf(runId))) return;
    const started = { model, input, extra, metadata };
    const call = { ...options, format: langchainFormat(started), args: [langchainRequest(started)] };
    const run = openRun((answer) => client.observe({ experiment, ...call }, () => answer));
    keepNewest(runs, nameOf(runId), run);
  };
  const closed = (runId: string): Run | undefined => {
    const run = runs.get(nameOf(runId));
    runs.delete(nameOf(runId));
    return run;
  };
  const handler: CallbackHandler = {
    name: `assay ${experiment}`,
    awaitHandlers: true,
    copy: () => handler,
    handleChatModelStart: (model, [messages], runId, _parent, extra, _tags, metadata) =>
      start(model, messages, runId, extra, metadata),
    handleLLMStart: (model, [prompt], runId, _parent, extra, _tags, metadata) =>
      start(model, prompt, runId, extra, metadata),
    handleLLMNewToken: (token, _indices, runId, _parent, _tags, fields) =>
      runs.get(nameOf(runId))?.take(token, fieldAt(fields, "chunk")),
    handleLLMEnd: (output, runId, _parent, _tags, extra) => {
      const run = closed(runId);
      return fieldAt(extra, "cached") ? undefined : run?.end(output);
    },
    handleLLMError: (error, runId) => closed(runId)?.fail(error),
  };
  return handler;
}

/**
 * Opens a run. `observe` watches a promise of the answer: the promise resolves to the whole answer or, at the first
 * token, to a stream of its parts.
 */
function openRun(observe: (answer: Promise<unknown>) => Promise<unknown>): Run {
  let resolve: (answer: unknown) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const answer = new Promise((...settle) => {
    [resolve, reject] = settle;
  });
  let step: Promise<IteratorResult<unknown>>;
  const stream = { next: () => step, [Symbol.asyncIterator]: () => stream };
  let isStream = false;
  let recorded: Promise<unknown> = observe(answer).catch(() => {});
  const read = (next: () => typeof step) => {
    recorded = recorded.then(() => {
      step = next();
      return stream.next().catch(() => {});
    });
    return recorded;
  };
  return {
    take(token, chunk) {
      if (!isStream) resolve(stream);
      isStream = true;
      read(async () => ({ done: false, value: { token, chunk } }));
    },
    end(output) {
      if (!isStream) resolve(output);
      if (!isStream) return recorded;
      read(async () => ({ done: false, value: output }));
      return read(async () => ({ done: true, value: undefined }));
    },
    fail(error) {
      // Some integrations report an aborted stream only in the message.
      const known = /^abort/i.test(textAt(error, "message")) ? new DOMException("", "AbortError") : error;
      if (!isStream) reject(known);
      return isStream ? read(() => Promise.reject(known)) : recorded;
    },
  };
}
