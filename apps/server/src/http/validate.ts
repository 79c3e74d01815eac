import { DomainError, type FieldFault, invalidBody } from "@assay/domain";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

const MAX_FAULTS = 20;

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** Compiles a schema into a check that returns its faults, none when the value fits. */
export function compileCheck(schema: TSchema): (value: unknown) => readonly FieldFault[] {
  const validator = Compile(schema);
  return (value) =>
    validator.Check(value) ? [] : toFaults(validator.Errors(value) as readonly SchemaError[]);
}

/** Throws `invalid-body` with every fault. */
export function rejectBody(faults: readonly FieldFault[]): void {
  if (faults.length > 0) throw invalidBody(faults);
}

/** Throws `invalid-query`: parameters of the address, by name. */
export function rejectQuery(faults: readonly FieldFault[]): void {
  const first = faults[0];
  if (first) {
    const detail = `${first.pointer.slice(1) || "The address"}: ${first.detail}`;
    throw new DomainError("invalid-query", detail, { faults });
  }
}

/** One fault per place: a value that fits no branch of a union fails once per branch and once as a whole. */
function toFaults(errors: readonly SchemaError[]): readonly FieldFault[] {
  const places = new Map<string, string>();
  for (const error of errors) {
    for (const { pointer, detail } of explain(error)) if (!places.has(pointer)) places.set(pointer, detail);
  }
  return [...places].slice(0, MAX_FAULTS).map(([pointer, detail]) => ({ pointer, detail }));
}

function explain({ keyword, instancePath, message, params }: SchemaError): readonly FieldFault[] {
  const { requiredProperties, allowedValues } = params as {
    requiredProperties?: readonly string[];
    allowedValues?: readonly unknown[];
  };
  if (keyword === "required" && requiredProperties) {
    return requiredProperties.map((name) => ({
      pointer: `${instancePath}/${escapePointer(name)}`,
      detail: "is required.",
    }));
  }
  // The unknown field itself is reported under its own pointer, as a `boolean` error.
  if (keyword === "additionalProperties") return [];
  if (keyword === "boolean") return [{ pointer: instancePath, detail: "is not a known field." }];
  if (keyword === "enum" && allowedValues) {
    return [{ pointer: instancePath, detail: `must be one of ${allowedValues.join(", ")}.` }];
  }
  return [{ pointer: instancePath, detail: `${message}.` }];
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
