import { textOr } from "../fields.ts";

/**
 * Reads the field at the end of a path into a value of somebody else's; undefined when there is none or a getter
 * throws.
 */
export function fieldAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  try {
    let found = value;
    for (const key of path) found = (found as Record<string | number, unknown> | null | undefined)?.[key];
    return found;
  } catch {
    return undefined;
  }
}

/** Reads a text as `fieldAt` does; empty when there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  return textOr(fieldAt(value, ...path), "");
}

/** Whether there is a function at the end of a path, which is read as `fieldAt` does. */
export function hasMethod(value: unknown, ...path: readonly string[]): boolean {
  return typeof fieldAt(value, ...path) === "function";
}
