import { DomainError } from "@assay/domain";

/** Writes where a page ended, for a list to go on from. */
export function toCursor(position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** Reads what `toCursor` wrote. Throws `invalid-query` when `isPosition` does not know it. */
export function parseCursor<P extends readonly unknown[]>(
  cursor: string,
  isPosition: (position: readonly unknown[]) => position is P,
): P {
  const position = decode(cursor);
  if (!isPosition(position)) {
    throw new DomainError("invalid-query", "The cursor is not one that this list gave.");
  }
  return position;
}

function decode(cursor: string): readonly unknown[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(decoded) ? decoded : [];
  } catch {
    return [];
  }
}
