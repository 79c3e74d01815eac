import type { Json, JsonObject } from "@assay/domain";

/** Compares fields of two wire records and returns those that differ as `{field: {from, to}}`; a missing record counts as nulls. */
export function fieldDiff(from: object | null, to: object | null, fields: readonly string[]): JsonObject {
  const pairs = fields.map((field) => [field, { from: read(from, field), to: read(to, field) }] as const);
  return Object.fromEntries(
    pairs.filter(([, pair]) => JSON.stringify(pair.from) !== JSON.stringify(pair.to)),
  );
}

function read(record: object | null, field: string): Json {
  return (record as Readonly<Record<string, Json>> | null)?.[field] ?? null;
}
