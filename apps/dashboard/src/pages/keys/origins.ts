/** Reads the origins of a text with one per line; null, which allows any, when there is none. */
export function originsOf(text: string): string[] | null {
  const origins = text.split(/\s+/).filter((origin) => origin !== "");
  return origins.length === 0 ? null : origins;
}
