import { fieldAt, textAt } from "./foreign-value.ts";

/** Who is called at which hosts, as in vectors/providers.json: each provider replaces its hosts. */
export const HOSTS: Readonly<Record<string, RegExp>> = {
  azure: /^.*\.azure\.com$/,
  vertex: /^.*aiplatform\.googleapis\.com$/,
  google: /^.*\.googleapis\.com$/,
  bedrock: /^bedrock.*\.amazonaws\.com$/,
  openrouter: /^openrouter\.ai$/,
  xai: /^api\.x\.ai$/,
  localhost: /^127\.0\.0\.1$/,
  $1: /^(?:.*\.)?api\.([^.]+)\.[^.]+$/,
};

/** Names who is called at a base URL: by the table, or else its host; null when it is no URL with a host. */
export function providerAt(baseUrl: string): string | null {
  let name = /^\w+:\/\/([^/?#]*@)?(\[.*]|[^/?#:]+)/.exec(baseUrl.toLowerCase())?.[2];
  for (const to in HOSTS) name = name?.replace(HOSTS[to] ?? "", to);
  return name ?? null;
}

/** Names whom a provider's object calls; null when it does not tell. */
export function providerOf(provider: object): string | null {
  const google = fieldAt(provider, "apiClient", "clientOptions", "httpOptions");
  return providerAt(textAt(provider, "baseURL") || textAt(google, "baseUrl"));
}
