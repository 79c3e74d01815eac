import { DomainError } from "@assay/domain";

const FRAMES = 5;

/** Says what went wrong with a batch without its message, which may quote an event. */
export function faultWords(error: unknown): { readonly fault: string; readonly at: readonly string[] } {
  if (!(error instanceof Error)) return { fault: typeof error, at: [] };
  if (error instanceof DomainError) return { fault: `${error.kind}: ${error.message}`, at: [] };
  if (error instanceof SyntaxError) return { fault: `${error.name}: the body is not JSON`, at: [] };
  const { code, type } = error as { readonly code?: unknown; readonly type?: unknown };
  const words = [error.name, code, type].filter(
    (word) => typeof word === "string" || typeof word === "number",
  );
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { fault: words.join(" "), at: frames.slice(0, FRAMES).map((line) => line.trim()) };
}
