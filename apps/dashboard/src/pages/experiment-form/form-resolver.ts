import { type FieldErrors, get, type Resolver, set } from "react-hook-form";
import { checkForm } from "./check-form.ts";
import { fieldOfPointer } from "./field-of-pointer.ts";
import type { ExperimentValues } from "./form-values.ts";

/** Says to the form what `checkForm` finds, each fault at its field. */
export const formResolver: Resolver<ExperimentValues> = (values) => {
  const errors: FieldErrors<ExperimentValues> = {};
  for (const { pointer, detail } of checkForm(values)) {
    const place = fieldOfPointer(pointer);
    // A list's own fault stands beside those of its rows.
    if (place !== null)
      set(errors, place, Object.assign(get(errors, place) ?? {}, { type: "check", message: detail }));
  }
  return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors };
};
