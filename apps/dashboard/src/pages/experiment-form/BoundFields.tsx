import type { ReactNode } from "react";
import { type FieldPath, type FieldPathByValue, useController, useFormContext } from "react-hook-form";
import { NumberField, TextArea, TextField } from "../../ui/Field.tsx";
import type { ExperimentValues } from "./form-values.ts";

/** The format of number fields for shares. */
export const PERCENT: Intl.NumberFormatOptions = { style: "percent", maximumFractionDigits: 2 };

interface Bound<Name extends FieldPath<ExperimentValues>> {
  readonly name: Name;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

function useField<Name extends FieldPath<ExperimentValues>>(name: Name) {
  const { control } = useFormContext<ExperimentValues>();
  return useController<ExperimentValues, Name>({ control, name });
}

type TextName = FieldPathByValue<ExperimentValues, string>;
type NumberName = FieldPathByValue<ExperimentValues, number | null>;

/** A text field of the experiment form. */
export function BoundText({
  name,
  ...props
}: Bound<TextName> & { readonly placeholder?: string; readonly isReadOnly?: boolean }) {
  const { field, fieldState } = useField(name);
  return (
    <TextField
      {...props}
      value={field.value}
      onChange={field.onChange}
      onBlur={field.onBlur}
      error={fieldState.error?.message}
    />
  );
}

/** A text area of the experiment form. */
export function BoundArea({
  name,
  ...props
}: Bound<TextName> & { readonly rows?: number; readonly isCode?: boolean; readonly placeholder?: string }) {
  const { field, fieldState } = useField(name);
  return (
    <TextArea
      {...props}
      value={field.value}
      onChange={field.onChange}
      onBlur={field.onBlur}
      error={fieldState.error?.message}
    />
  );
}

interface BoundNumberProps extends Bound<NumberName> {
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly step?: number;
  readonly formatOptions?: Intl.NumberFormatOptions;
  readonly isReadOnly?: boolean;
}

/** A number field of the experiment form; empty is null. */
export function BoundNumber({ name, ...props }: BoundNumberProps) {
  const { field, fieldState } = useField(name);
  return (
    <NumberField
      {...props}
      // By default, a value silently moves to the nearest allowed one: an alpha of 5 would become 0.2.
      commitBehavior="validate"
      value={field.value ?? Number.NaN}
      onChange={(value) => field.onChange(Number.isNaN(value) ? null : value)}
      onBlur={field.onBlur}
      error={fieldState.error?.message}
    />
  );
}

/** An error of a whole list, which no single field shows. */
export function FormFault({ message }: { readonly message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p className="field-error" role="alert" data-fault="" tabIndex={-1}>
      {message}
    </p>
  );
}
