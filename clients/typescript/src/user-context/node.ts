import { AsyncLocalStorage } from "node:async_hooks";
import type { CallContext, ContextStorage } from "./call-context.ts";

/** Follows a call through everything it awaits. */
export const contextStorage: ContextStorage = new AsyncLocalStorage<CallContext>();
