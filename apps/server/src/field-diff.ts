import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "@assay/domain";

/** The fields that identify the items of a list: variants, metrics, slices of an allocation. */
const IDENTITIES = ["key", "name", "variant"];

type Item = Readonly<Record<string, Json>>;

/**
 * Compares fields of two wire records and returns those that differ as `{field: {from, to}}`. A missing record counts as nulls. Of a list
 * of named items, returns only those that differ, with name and differing fields. For a new order, only the names.
 */
export function fieldDiff(from: object | null, to: object | null, fields: readonly string[]): JsonObject {
  const pairs = fields.map((field) => [field, { from: read(from, field), to: read(to, field) }] as const);
  const changed = pairs.filter(([, pair]) => !isDeepStrictEqual(pair.from, pair.to));
  return Object.fromEntries(changed.map(([field, pair]) => [field, narrow(pair)]));
}

function read(record: object | null, field: string): Json {
  return (record as Readonly<Record<string, Json>> | null)?.[field] ?? null;
}

interface Pair {
  readonly from: Json;
  readonly to: Json;
}

function narrow(pair: Pair): JsonObject {
  const { from, to } = pair;
  const identity = IDENTITIES.find((field) => isNamed(from, field) && isNamed(to, field));
  if (identity === undefined) return { from, to };
  const [was, is] = [from as readonly Item[], to as readonly Item[]];
  const changed = { from: changesOf(was, is, identity), to: changesOf(is, was, identity) };
  if (changed.from.length > 0 || changed.to.length > 0) return changed;
  const namesOf = (items: readonly Item[]) => items.map((item) => item[identity] ?? null);
  return { from: namesOf(was), to: namesOf(is) };
}

/** Whether it is a list of items with different texts in the field. */
function isNamed(value: Json, field: string): boolean {
  if (!Array.isArray(value)) return false;
  const names = value.map((item) => (item as Item | null)?.[field]);
  return names.every((name) => typeof name === "string") && new Set(names).size === names.length;
}

/** The items that the other list lacks. For items that both lists have, the fields that differ. */
function changesOf(items: readonly Item[], others: readonly Item[], identity: string): JsonObject[] {
  return items.flatMap((item) => {
    const other = others.find((one) => one[identity] === item[identity]);
    if (other === undefined) return [item];
    if (isDeepStrictEqual(item, other)) return [];
    const fields = Object.entries(item).filter(
      ([field, value]) => field === identity || !isDeepStrictEqual(value, other[field]),
    );
    return [Object.fromEntries(fields)];
  });
}
