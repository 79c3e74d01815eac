import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";
import type { Logger } from "pino";

/** The request or background task that the current code runs for. */
export interface Work {
  readonly requestId?: string;
  /** The name of the background task. */
  readonly task?: string;
  /** The parent of new spans, when tracing is on. */
  readonly span?: Span | undefined;
}

const current = new AsyncLocalStorage<Work>();

/** Runs `work` so that its log lines and spans, also after an await, name the request or task. */
export function runAs<T>(whose: Work, work: () => T): T {
  return current.run(whose, work);
}

/** Returns the request or task that the caller runs for. */
export function currentWork(): Work | undefined {
  return current.getStore();
}

/** Makes a logger whose lines carry the request or the task that they belong to. */
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
