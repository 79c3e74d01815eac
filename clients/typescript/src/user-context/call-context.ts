import type { Fields } from "../fields.ts";
import type { Units } from "../subject.ts";

/** What the caller says about its model calls. */
export interface CallDetails {
  /** `metadata.conversation_id` of the events. */
  readonly conversationId?: string | undefined;
  /** `metadata.trace_id` of the events. */
  readonly traceId?: string | undefined;
  /** Further fields of the events' `metadata`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What running code, and any code that it starts, knows about the calls around it. */
export interface CallContext extends Units {
  readonly user?: string | null | undefined;
  /** What the caller said about the calls of this user, as their events have it. */
  readonly metadata?: Fields | null | undefined;
  /** Ids of the experiments for which an outer observer already records the running model call. */
  readonly observed?: readonly string[];
}

/** The part of AsyncLocalStorage that the client uses. */
export interface ContextStorage {
  run<T>(context: CallContext, work: () => T): T;
  getStore(): CallContext | undefined;
}
