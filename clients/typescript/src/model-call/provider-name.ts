import { fieldAt, textAt } from "./foreign-value.ts";

/** The end of a host, who is called there and, where the end is not enough, the host's start; vectors/providers.json has it too. */
export const PROVIDERS: readonly (readonly [ends: string, provider: string, starts?: string])[] = [
  [".openai.com", "openai"],
  [".openai.azure.com", "azure"],
  [".cognitiveservices.azure.com", "azure"],
  [".services.ai.azure.com", "azure"],
  [".anthropic.com", "anthropic"],
  [".openrouter.ai", "openrouter"],
  ["aiplatform.googleapis.com", "vertex"],
  [".googleapis.com", "google"],
  [".amazonaws.com", "bedrock", ".bedrock"],
  [".groq.com", "groq"],
  [".together.xyz", "together"],
  [".together.ai", "together"],
  [".mistral.ai", "mistral"],
  [".deepseek.com", "deepseek"],
  [".x.ai", "xai"],
  [".fireworks.ai", "fireworks"],
  [".cerebras.ai", "cerebras"],
  [".perplexity.ai", "perplexity"],
  [".localhost", "localhost"],
  [".127.0.0.1", "localhost"],
];

/** Names who is called at a base URL: by the table, or else its host; null when it is no URL with a host. */
export function providerAt(baseUrl: string): string | null {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  const dotted = `.${host}`;
  const row = PROVIDERS.find(([ends, , starts = ""]) => dotted.endsWith(ends) && dotted.startsWith(starts));
  return (row?.[1] ?? host) || null;
}

/** Names whom a provider's object calls; null when it does not tell. */
export function providerOf(provider: object): string | null {
  const google = fieldAt(provider, "apiClient", "clientOptions", "httpOptions");
  return providerAt(textAt(provider, "baseURL") || textAt(google, "baseUrl"));
}
