import { TEXT_RULES } from "@assay/contract";
import { type Day, DomainError, type FieldFault, invalidBody, parseDay } from "@assay/domain";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";

const MAX_FAULTS = 20;

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/**
 * Makes a check from a schema. The check returns a value's faults, none when it fits. The first value compiles it,
 * because most processes see values of few schemas.
 */
export function compileCheck(schema: TSchema): (value: unknown) => readonly FieldFault[] {
  let validator: Validator | undefined;
  return (value) => {
    validator ??= Compile(schema);
    return validator.Check(value) ? [] : toFaults(validator.Errors(value) as readonly SchemaError[]);
  };
}

/** Throws `invalid-body` with all faults, if there are any. */
export function rejectBody(faults: readonly FieldFault[]): void {
  if (faults.length > 0) throw invalidBody(faults);
}

/** Reads a day from a body. Throws `invalid-body` if the calendar has no such day. */
export function readDay(pointer: string, text: string): Day {
  const day = parseDay(text);
  if (day === null) throw invalidBody([{ pointer, detail: "is not a calendar date." }]);
  return day;
}

/** Makes the error of a body that cannot be read at all. `detail` is a sentence. */
export function unreadable(detail: string): DomainError {
  return new DomainError("invalid-body", detail, { faults: [{ pointer: "", detail }] });
}

/** Throws `invalid-query` for faults in the query parameters, by name. */
export function rejectQuery(faults: readonly FieldFault[]): void {
  const first = faults[0];
  if (first) {
    const detail = `${first.pointer.slice(1) || "The address"}: ${first.detail}`;
    throw new DomainError("invalid-query", detail, { faults });
  }
}

/** Throws `invalid-query` for a query parameter that is repeated. No parameter is a list. */
export function rejectRepeated(query: unknown): void {
  const repeated = Object.entries(query as object).filter(([, value]) => Array.isArray(value));
  rejectQuery(
    repeated.map(([name]) => ({ pointer: `/${escapePointer(name)}`, detail: "is given more than once." })),
  );
}

/** Query values arrive as text. Converts those that the schema declares as integers. */
export function coerceIntegers(query: Record<string, unknown>, schema: object): Record<string, unknown> {
  const { properties } = schema as { properties: Record<string, { type?: string }> };
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const isInteger =
        properties[name]?.type === "integer" && typeof value === "string" && /^-?\d+$/.test(value);
      return [name, isInteger ? Number(value) : value];
    }),
  );
}

/**
 * Reports one fault per place: the first one, or, where a value fits no branch of a union, what each branch would
 * accept. Such a value fails once per branch and once as a whole. If it has faults inside, only these are reported: an
 * object with a missing field should not be told to be null instead.
 */
function toFaults(errors: readonly SchemaError[]): readonly FieldFault[] {
  const unions = new Set(
    errors.filter(({ keyword }) => keyword === "anyOf").map((error) => error.instancePath),
  );
  const places = new Map<string, Set<string>>();
  for (const error of errors) {
    for (const { pointer, detail } of explain(error))
      places.set(pointer, (places.get(pointer) ?? new Set()).add(detail));
  }
  const hasFaultsInside = (pointer: string) =>
    unions.has(pointer) && [...places.keys()].some((other) => other.startsWith(`${pointer}/`));
  const told = [...places].filter(([pointer]) => !hasFaultsInside(pointer));
  return told.slice(0, MAX_FAULTS).map(([pointer, details]) => {
    // For a text that is too long, only the limit is reported, not that it could be null.
    const limits = [...details].filter((detail) => !detail.startsWith("must be "));
    const [first, ...others] = limits.length > 0 ? limits : [...details];
    const alternatives = unions.has(pointer) ? others.map((detail) => detail.replace(/^must be /, "")) : [];
    return { pointer, detail: `${[first, ...alternatives].join(" or ")}.` };
  });
}

function explain({ keyword, instancePath, message, params }: SchemaError): readonly FieldFault[] {
  const { requiredProperties, allowedValues, allowedValue, limit, pattern, format } = params as {
    requiredProperties?: readonly string[];
    allowedValues?: readonly unknown[];
    allowedValue?: unknown;
    limit?: number;
    pattern?: string;
    format?: string;
  };
  if (keyword === "required" && requiredProperties) {
    return requiredProperties.map((name) => ({
      pointer: `${instancePath}/${escapePointer(name)}`,
      detail: "is required",
    }));
  }
  // The unknown field itself is reported under its own pointer, as a `boolean` error.
  if (keyword === "additionalProperties" || keyword === "anyOf") return [];
  if (keyword === "boolean") return [{ pointer: instancePath, detail: "is not a known field" }];
  if (keyword === "enum" && allowedValues) {
    return [{ pointer: instancePath, detail: `must be one of ${allowedValues.join(", ")}` }];
  }
  if (keyword === "const") {
    return [{ pointer: instancePath, detail: `must be ${JSON.stringify(allowedValue)}` }];
  }
  if (["minLength", "minItems"].includes(keyword) && limit === 1)
    return [{ pointer: instancePath, detail: "must not be empty" }];
  return [{ pointer: instancePath, detail: TEXT_RULES.get(pattern ?? format ?? "") ?? message }];
}

/** Writes a field's name as part of a JSON Pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
