import type { CallContext, ContextStorage } from "./call-context.ts";

declare global {
  // Some edge runtimes have it as a global; browsers do not have it.
  var AsyncLocalStorage: (new () => ContextStorage) | undefined;
}

/** Follows a call as far as the runtime can: without AsyncLocalStorage, until the first `await`. */
export const contextStorage: ContextStorage = globalThis.AsyncLocalStorage
  ? new globalThis.AsyncLocalStorage()
  : holdSynchronously();

function holdSynchronously(): ContextStorage {
  let current: CallContext | undefined;
  return {
    run: (context, work) => {
      const outer = current;
      current = context;
      try {
        return work();
      } finally {
        current = outer;
      }
    },
    getStore: () => current,
  };
}
