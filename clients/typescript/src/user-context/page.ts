import type { CallContext, ContextStorage } from "./call-context.ts";

let current: CallContext | undefined;

/** Browsers cannot follow a call. Its context is known until the first `await`. */
export const contextStorage: ContextStorage = {
  run(context, work) {
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
