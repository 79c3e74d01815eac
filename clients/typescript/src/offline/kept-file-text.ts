import type { KeptSettings } from "../platform.ts";

/** Serializes a config with its owner and the time when it was kept. */
export function keptFileText({ baseUrl, now }: KeptSettings, keyHash: string, config: unknown): string {
  const kept_at = new Date(now()).toISOString();
  return JSON.stringify({ v: 1, key_hash: keyHash, base_url: baseUrl, kept_at, config });
}
