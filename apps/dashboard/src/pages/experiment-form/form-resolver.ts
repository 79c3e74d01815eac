import { type FieldErrors, get, type Resolver, set } from "react-hook-form";
import { checkForm } from "./check-form.ts";
import { fieldOfPointer } from "./field-of-pointer.ts";
import type { ExperimentValues } from "./form-values.ts";

/** Reports the errors of `checkForm` to the form, each at its field. */
export const formResolver: Resolver<ExperimentValues> = (values) => {
  const errors: FieldErrors<ExperimentValues> = {};
  for (const { pointer, detail } of checkForm(values)) {
    const place = fieldOfPointer(pointer);
    // An error of the list itself is added to those of its rows.
    if (place !== null)
      set(errors, place, Object.assign(get(errors, place) ?? {}, { type: "check", message: detail }));
  }
  return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors };
};
