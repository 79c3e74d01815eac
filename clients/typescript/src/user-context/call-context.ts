/** What running code, and any code that it starts, knows about the calls around it. */
export interface CallContext {
  readonly user: string | null;
  /** Ids of the experiments for which an outer observer already records the running model call. */
  readonly observed: readonly string[];
}

/** The part of AsyncLocalStorage that the client uses. */
export interface ContextStorage {
  run<T>(context: CallContext, work: () => T): T;
  getStore(): CallContext | undefined;
}
