/** Reads origins from a text with one per line. Without any, returns null, which allows all origins. */
export function originsOf(text: string): string[] | null {
  const origins = text.split(/\s+/).filter((origin) => origin !== "");
  return origins.length === 0 ? null : origins;
}
