/** Providers by host, as in vectors/providers.json: each provider replaces its hosts. */
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

/**
 * Returns the provider for a base URL: from the table, or else the URL's host. Null when it is not a URL with a host.
 */
export function providerAt(baseUrl: string): string | null {
  let name = /^\w+:\/\/([^/?#]*@)?(\[.*]|[^/?#:]+)/.exec(baseUrl.toLowerCase())?.[2];
  for (const to in HOSTS) name = name?.replace(HOSTS[to]!, to);
  return name ?? null;
}
