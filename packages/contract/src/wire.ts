import { type JsonObject, toInstant } from "@assay/domain";
import type { Static, TSchema } from "typebox";
import type { WireInstant } from "./schemas/shared.ts";

type CamelName<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;

/**
 * The form that a wire value has in code: camelCase fields, instants in epoch milliseconds, read-only. Keys of records stay
 * unchanged, because they are data (variants, metrics, a variant's variables).
 */
export type CamelCased<T> = unknown extends T
  ? T
  : T extends WireInstant
    ? number
    : T extends readonly (infer Item)[]
      ? readonly CamelCased<Item>[]
      : T extends object
        ? string extends keyof T
          ? RecordOf<T>
          : { readonly [Key in keyof T as CamelName<Key>]: CamelCased<T[Key]> }
        : T;

/** Unknown parts of a body are JSON. The schema cannot express this, because JSON Schema has no type for it. */
type RecordOf<T> = JsonObject extends T ? JsonObject : { readonly [Key in keyof T]: CamelCased<T[Key]> };

/** The type in code for a value of the schema. */
export type ValueOf<S extends TSchema> = CamelCased<Static<S>>;

/** Converts a value to its schema's wire form. Fields that the schema lacks are left out. */
export function toWire<S extends TSchema>(schema: S, value: ValueOf<S>): Static<S> {
  return converterOf(schema, writing)(value) as Static<S>;
}

/** Converts a wire value that its schema has validated. Fields that the schema lacks are left out. */
export function fromWire<S extends TSchema>(schema: S, value: Static<S>): ValueOf<S> {
  return converterOf(schema, reading)(value) as ValueOf<S>;
}

type Convert = (value: unknown) => unknown;

interface Direction {
  /** A schema field's names before and after the conversion. */
  readonly names: (field: string) => readonly [from: string, to: string];
  readonly instant: Convert;
  readonly known: WeakMap<object, Convert>;
}

const camelName = (field: string): string =>
  field.replace(/_(.)/g, (_match, first: string) => first.toUpperCase());

const writing: Direction = {
  names: (field) => [camelName(field), field],
  instant: (value) => (typeof value === "number" ? toInstant(value) : value),
  known: new WeakMap(),
};

const reading: Direction = {
  names: (field) => [field, camelName(field)],
  instant: (value) => (typeof value === "string" ? Date.parse(value) : value),
  known: new WeakMap(),
};

/** The parts of a schema that decide how its values are converted. */
interface Shape {
  readonly format?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
}

const asIs: Convert = (value) => value;

/** Builds a schema's converter once, so that converting a value does not inspect the schema again. */
function converterOf(schema: TSchema, direction: Direction): Convert {
  const known = direction.known.get(schema);
  if (known !== undefined) return known;
  const made = makeConverter(schema, direction);
  direction.known.set(schema, made);
  return made;
}

function makeConverter(schema: TSchema, direction: Direction): Convert {
  const { format, properties, patternProperties, items, anyOf } = schema as Shape;
  if (format === "date-time") return direction.instant;
  if (properties) return fields(properties, direction);
  if (patternProperties) return each(Object.values(patternProperties), direction, overRecord);
  if (items) return each([items], direction, overArray);
  return anyOf ? oneOf(anyOf, direction) : asIs;
}

function fields(properties: Readonly<Record<string, TSchema>>, direction: Direction): Convert {
  const byName = new Map(
    Object.entries(properties).map(([field, schema]) => {
      const [from, to] = direction.names(field);
      return [from, { to, convert: converterOf(schema, direction) }];
    }),
  );
  return (value) => {
    if (typeof value !== "object" || value === null) return value;
    const converted: Record<string, unknown> = {};
    for (const [name, part] of Object.entries(value)) {
      const field = part === undefined ? undefined : byName.get(name);
      if (field !== undefined) converted[field.to] = field.convert(part);
    }
    return converted;
  };
}

function each(
  [schema]: readonly TSchema[],
  direction: Direction,
  over: (convert: Convert) => Convert,
): Convert {
  const convert = schema === undefined ? asIs : converterOf(schema, direction);
  return convert === asIs ? asIs : over(convert);
}

const overArray =
  (convert: Convert): Convert =>
  (value) =>
    Array.isArray(value) ? value.map(convert) : value;

const overRecord =
  (convert: Convert): Convert =>
  (value) =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, convert(part)]))
      : value;

/** Converts a value by the fields that it has. This works because a field means the same in every branch. */
function oneOf(branches: readonly TSchema[], direction: Direction): Convert {
  const converted = branches.filter((branch) => converterOf(branch, direction) !== asIs);
  const [first, ...others] = converted;
  if (first === undefined) return asIs;
  if (others.length === 0) return converterOf(first, direction);
  return fields(Object.assign({}, ...converted.map(({ properties }: Shape) => properties)), direction);
}
