/** A field before and after a change. */
export interface FieldChange {
  /** In words: `bucket_count` → "bucket count". */
  readonly field: string;
  /** Null: not set. */
  readonly from: string | null;
  readonly to: string | null;
  /** The value needs several lines. */
  readonly isLong: boolean;
}

const LONG = 60;

/** Reads the diff of an audit entry, `{field: {from, to}}`; anything else is shown unchanged. */
export function fieldChanges(diff: Readonly<Record<string, unknown>> | null): readonly FieldChange[] {
  return Object.entries(diff ?? {}).map(([field, pair]) =>
    isPair(pair) ? fieldChange(field, pair.from, pair.to) : fieldChange(field, null, pair),
  );
}

/** Compares one field of two records. */
export function fieldChange(field: string, from: unknown, to: unknown): FieldChange {
  const texts = { from: inWords(from), to: inWords(to) };
  const isLong = [texts.from, texts.to].some(
    (text) => text !== null && (text.length > LONG || text.includes("\n")),
  );
  return { field: field.replaceAll("_", " "), ...texts, isLong };
}

function isPair(value: unknown): value is { readonly from: unknown; readonly to: unknown } {
  return typeof value === "object" && value !== null && "from" in value && "to" in value;
}

function inWords(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}
