import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";
import type { Logger } from "pino";

/** What is under way on behalf of one request or one background task. */
export interface Work {
  readonly requestId?: string;
  /** Name of the background task. */
  readonly task?: string;
  /** Where traces are kept: the span that new ones belong to. */
  readonly span?: Span | undefined;
}

const current = new AsyncLocalStorage<Work>();

/** Runs `work` so that log lines and spans made in it, and in what it awaits, tell whose they are. */
export function runAs<T>(whose: Work, work: () => T): T {
  return current.run(whose, work);
}

export function currentWork(): Work | undefined {
  return current.getStore();
}

/** Makes the logger whose lines carry the request or the task that they belong to. */
export function logCurrentWork(log: Logger): Logger {
  return log.child({}, { formatters: { log: (fields) => ({ ...fieldsOf(current.getStore()), ...fields }) } });
}

function fieldsOf(work: Work | undefined): Record<string, string> {
  if (work === undefined) return {};
  const { requestId, task, span } = work;
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(task === undefined ? {} : { task }),
    ...(span === undefined ? {} : { traceId: span.spanContext().traceId }),
  };
}
