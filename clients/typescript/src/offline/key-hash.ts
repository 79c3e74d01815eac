import { createHash } from "node:crypto";

/** Names an API key in a folder that must not contain it: the first 16 hex digits of its SHA-256. */
export function keyHashOf(apiKey: string): string {
  return createHash("sha256").update(apiKey).digest("hex").slice(0, 16);
}
