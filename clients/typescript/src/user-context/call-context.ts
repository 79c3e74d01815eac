/** What a piece of running code, and whatever it starts, knows of the calls around it. */
export interface CallContext {
  readonly user: string | null;
  /** Ids of the experiments that an observer further out records the running model call for. */
  readonly observed: readonly string[];
}

/** The part of AsyncLocalStorage that the client uses. */
export interface ContextStorage {
  run<T>(context: CallContext, work: () => T): T;
  getStore(): CallContext | undefined;
}
