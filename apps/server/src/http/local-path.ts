const MAX_LENGTH = 1_000;

/**
 * Returns the text if it is the path of a page of this installation, and "/" for anything else. A browser reads `//host` and `/\\host` as
 * another host, and drops tabs and line ends from an address before it does.
 */
export function localPath(text: unknown): string {
  if (typeof text !== "string" || text.length > MAX_LENGTH) return "/";
  return /^\/(?:[\x21-\x2e\x30-\x5b\x5d-\x7e][\x21-\x5b\x5d-\x7e]*)?$/.test(text) ? text : "/";
}
