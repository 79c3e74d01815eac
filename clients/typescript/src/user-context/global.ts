import type { ContextStorage } from "./call-context.ts";
import { contextStorage as synchronous } from "./page.ts";

declare global {
  // Some edge runtimes have it as a global.
  var AsyncLocalStorage: (new () => ContextStorage) | undefined;
}

/** Follows a call as far as the runtime can: without AsyncLocalStorage, until the first `await`. */
export const contextStorage: ContextStorage = globalThis.AsyncLocalStorage
  ? new globalThis.AsyncLocalStorage()
  : synchronous;
