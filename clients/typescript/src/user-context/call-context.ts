import type { Fields } from "../fields.ts";
import type { Units } from "../subject.ts";

/** Your details of model calls, for their events. */
export interface CallDetails {
  /** Becomes `metadata.conversation_id` of the events. */
  readonly conversationId?: string | undefined;
  /** Becomes `metadata.trace_id` of the events. */
  readonly traceId?: string | undefined;
  /** Further fields of the events' `metadata`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What running code, and any code that it starts, knows about the calls around it. */
export interface CallContext extends Units {
  readonly user?: string | null | undefined;
  /** The caller's details of this user's calls, in the form of the events' metadata. */
  readonly metadata?: Fields | null | undefined;
  /** Ids of the experiments for which an outer observer already records the running model call. */
  readonly observed?: readonly string[];
}

/** The part of AsyncLocalStorage that the client uses. */
export interface ContextStorage {
  run<T>(context: CallContext, work: () => T): T;
  getStore(): CallContext | undefined;
}
