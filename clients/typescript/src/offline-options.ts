import type { ClientOptions } from "./client-options.ts";

/**
 * Options of a client that makes no requests: it answers its own requests, with the bootstrap as config, and drops
 * events.
 */
export function offlineOptions(options: ClientOptions): ClientOptions {
  const { apiKey = "offline", bootstrap = { config_version: 0, experiments: [] } } = options;
  return {
    ...options,
    apiKey,
    baseUrl: "http://offline",
    // Nothing else will ever be loaded, so `ready` has nothing to wait for.
    experiments: [],
    offlineStore: false,
    // Any count acknowledges a batch.
    fetch: async (_url, { body }) => Response.json(body ? { accepted: 0 } : bootstrap),
  };
}
