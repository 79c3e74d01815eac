import type { ClientOptions } from "./client-options.ts";

/**
 * The options of an offline client. It answers its own requests, with the bootstrap as the config, and drops events.
 */
export function offlineOptions(options: ClientOptions): ClientOptions {
  const { apiKey = "offline", bootstrap = { config_version: 0, experiments: [] } } = options;
  return {
    ...options,
    apiKey,
    baseUrl: "http://offline",
    // No other config will ever be loaded, so `ready` must not wait for experiments.
    experiments: [],
    offlineStore: false,
    // Any count acknowledges a batch.
    fetch: async (_url, { body }) => Response.json(body ? { accepted: 0 } : bootstrap),
  };
}
