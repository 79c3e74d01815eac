import { DomainError } from "@assay/domain";

/** Encodes the position at which a page ends, so that the next page can start there. */
export function toCursor(position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** Decodes a cursor of `toCursor`. Throws `invalid-query` when `isPosition` rejects it. */
export function parseCursor<P extends readonly unknown[]>(
  cursor: string,
  isPosition: (position: readonly unknown[]) => position is P,
): P {
  const position = decode(cursor);
  if (!isPosition(position)) {
    throw new DomainError("invalid-query", "The cursor does not belong to this list.");
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
