import { fieldAt, hasMethod, textAt } from "./foreign-value.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { type CallScope, currentContext, observeCall } from "./observe-call.ts";
import { CALLS, HELPERS, ROUTES } from "./provider-routes.ts";

type Method = (...args: unknown[]) => unknown;
type Caller = (method: Method, self: unknown, args: readonly unknown[]) => unknown;

/** Keyed by the view of the provider's object. */
const wrapped = new WeakMap<object, CallScope & { readonly provider: object }>();

/**
 * Returns a view of the provider's object whose model calls are observed. Everything else passes through, and the
 * object itself is not changed. If it has no known calls, warns and returns the object itself.
 */
export function wrapProvider<T extends object>(provider: T, scope: CallScope): T;
export function wrapProvider(provider: object, scope: CallScope): object {
  const known = wrapped.get(provider);
  if (known?.experiment === scope.experiment && known.host === scope.host) {
    const { user = known.user, metadata } = scope;
    // Wrapping an object twice has no further effect. Only the details of the calls may differ.
    return scope.user || metadata
      ? wrapProvider(known.provider, { ...known, user, metadata: { ...known.metadata, ...metadata } })
      : provider;
  }
  const view = showCalls(provider, scope).get(provider);
  if (view) wrapped.set(view, { provider, ...scope });
  else scope.host.warn("wrap does not support this object");
  return view ?? provider;
}

/** Makes and caches views of the provider's object and of the objects on the way to its model calls. */
function showCalls(provider: object, scope: CallScope): WeakMap<object, object> {
  const views = new WeakMap<object, object>();
  const callerOf = (target: object, name: string, format?: ModelCallFormat | null): Caller => {
    return (method, self, args) => {
      if (format && HELPERS.test(name)) {
        // Its calls come later, outside this context, so they carry the current one.
        const pinned = showCalls(provider, { context: currentContext(), ...scope });
        return method.call(pinned.get(target), ...args);
      }
      // Private fields exist on the object, not on its view. Only a route without a format needs the view as `this`.
      const owner = self === views.get(target) && format !== undefined ? target : self;
      const call = (given: readonly unknown[]) => method.call(owner, ...given);
      if (format && CALLS.test(name)) {
        return observeCall({ ...scope, format, baseUrl: baseUrlOf(provider), args }, call);
      }
      const result = call(args);
      // The clients of OpenAI and Anthropic can copy themselves with other options.
      return name === "withOptions" ? wrapProvider(result as object, scope) : result;
    };
  };
  const makeView = (target: object, format?: ModelCallFormat | null) =>
    new Proxy(target, {
      get: (_, key) => {
        const value = (target as Readonly<Record<string | symbol, unknown>>)[key];
        const isFixed = Object.getOwnPropertyDescriptor(target, key)?.configurable === false;
        // For a frozen property, a proxy must return the original value.
        if (isFixed || key === "constructor") return value;
        if (typeof value !== "function") return views.get(value as object) ?? value;
        // A proxy of the method keeps its name and properties, such as a mock's list of calls.
        return new Proxy(value as Method, { apply: callerOf(target, String(key), format) });
      },
      // A setter of the class may need its private fields.
      set: (_, key, value) => Reflect.set(target, key, value),
    });
  for (const [route, format] of ROUTES) {
    const path = route.split(".");
    if (!hasMethod(provider, ...path) || !(format || views.has(provider))) continue;
    path.forEach((_, length) => {
      const target = fieldAt(provider, ...path.slice(0, length)) as object;
      if (!views.has(target)) views.set(target, makeView(target, path[length + 1] ? null : format));
    });
  }
  return views;
}

/** The base URL that a library's object calls; empty when unknown. */
function baseUrlOf(provider: object): string {
  return (
    textAt(provider, "baseURL") || textAt(provider, "apiClient", "clientOptions", "httpOptions", "baseUrl")
  );
}
