import { contextStorage } from "#user-context";
import type { ClientOptions } from "./client-options.ts";
import { CoreClient } from "./core-client.ts";
import type { CallHost } from "./model-call/call-record.ts";
import { type Extract, resultFormat } from "./model-call/known-results.ts";
import { currentContext, type ObservedCall, observeCall } from "./model-call/observe-call.ts";
import { wrapProvider } from "./model-call/wrap-provider.ts";

export interface WrapOptions {
  /** Whose calls these are; default: those of the user of `withUser`. */
  readonly user?: string;
}

/** A `CoreClient` that also observes model calls. */
export class Client extends CoreClient {
  readonly #host: CallHost;

  constructor(options: ClientOptions = {}) {
    super(options);
    this.#host = {
      client: this,
      mask: options.mask,
      warn: (message) => this.log.once("warn", message),
    };
  }

  /**
   * Returns a view of a provider's object (a client of OpenAI, Anthropic or Google) that behaves as the object does, and
   * records an exposure and a `model_call` for each model call made through it. Calls for which no user is known, or
   * whose user has no variant, are made and not recorded. Of an object with no known call the object itself is returned,
   * with a warning. The object is not changed; never throws.
   */
  wrap<T extends object>(provider: T, experiment: string, options?: WrapOptions): T {
    return wrapProvider(provider, { host: this.#host, experiment, ...options });
  }

  /**
   * Runs `work` and returns what it returns: model calls that it makes through wrapped objects are those of `user`.
   * That holds for everything it awaits, too; in browsers, which cannot follow that, only until its first `await`.
   */
  withUser<T>(user: string, work: () => T): T {
    return contextStorage.run({ ...currentContext(), user }, work);
  }

  /**
   * Makes one model call with `call` and records it as `wrap` does; returns or throws just what `call` does, be it a
   * promise or an async iterable. `extract` reads the result, or each chunk; without it those of the providers that
   * `wrap` knows are recognised.
   */
  interceptModelCall<T>(experiment: string, user: string, call: () => T, extract?: Extract<Awaited<T>>): T {
    return this.observe({ experiment, user, format: resultFormat(extract), args: [] }, call);
  }

  /** @internal Makes and records a model call of a known format: what other entries of the package build on. */
  observe<T>(call: Omit<ObservedCall, "host">, invoke: (args: readonly unknown[]) => T): T {
    return observeCall({ host: this.#host, ...call }, invoke);
  }
}
