import { textOr } from "../fields.ts";

/**
 * Follows a path of field names into a value from outside; undefined when a field is missing or a getter throws.
 */
export function fieldAt(value: unknown, ...path: readonly PropertyKey[]): unknown {
  try {
    let found = value;
    for (const key of path) found = (found as Record<PropertyKey, unknown> | null | undefined)?.[key];
    return found;
  } catch {
    return undefined;
  }
}

/** Reads a string as `fieldAt` does. Empty when there is none. */
export function textAt(value: unknown, ...path: readonly PropertyKey[]): string {
  return textOr(fieldAt(value, ...path), "");
}

/** Whether the path, followed as in `fieldAt`, leads to a function. */
export function hasMethod(value: unknown, ...path: readonly PropertyKey[]): boolean {
  return typeof fieldAt(value, ...path) === "function";
}
