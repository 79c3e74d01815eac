import { type RefObject, useEffect, useRef, useState } from "react";
import { type FieldErrors, get, type Resolver, set, type UseFormReturn, useForm } from "react-hook-form";
import { type BodyFault, Problem } from "../../api/problem.ts";
import { focusFirstError } from "../../ui/focus-first-error.ts";
import { readDraft, useDraft } from "../../ui/use-draft.ts";
import { checkForm } from "./check-form.ts";
import { fieldOfPointer } from "./field-of-pointer.ts";
import type { ExperimentValues } from "./form-values.ts";

interface ShownFaults {
  /** Whether a field shows an error. */
  readonly isAtField: boolean;
  /** Errors that no field shows. */
  readonly unplaced: readonly string[];
}

export interface ExperimentForm {
  readonly form: UseFormReturn<ExperimentValues>;
  /** The element that contains all fields. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** Whether the values were restored after a reload or a sign-in. */
  readonly isRestored: boolean;
  /** Sends valid values, or else focuses the first error. Returns whether it sent. Throws what `send` throws. */
  readonly submit: (send: (values: ExperimentValues) => Promise<void>) => Promise<boolean>;
  /** Shows each error of an answer at its field and focuses the first. `at` is where the sent body is in the form. */
  readonly showFaults: (error: unknown, at?: string) => ShownFaults;
  /** Focuses the first field with an error. */
  readonly focusFault: () => void;
}

/** The experiment form. It is validated as by the service, and kept across reloads under `draftKey`. */
export function useExperimentForm(
  draftKey: string,
  initial: () => ExperimentValues,
  check: FormCheck = checkForm,
): ExperimentForm {
  const [draft] = useState(() => readDraft<ExperimentValues>(draftKey));
  const [fresh] = useState(initial);
  const form = useForm<ExperimentValues>({
    defaultValues: draft === null ? fresh : { ...fresh, ...draft },
    resolver: (values) => resolve(values, check),
    mode: "onChange",
  });
  useDraft(draftKey, form);
  const place = useRef<HTMLDivElement>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (round > 0) focusFirstError(place.current);
  }, [round]);
  const focusFault = () => setRound((count) => count + 1);
  return {
    form,
    place,
    isRestored: draft !== null,
    focusFault,
    async submit(send) {
      let isSent = true;
      const refuse = () => {
        isSent = false;
      };
      // The form shows its errors only after this. Before, there would be nothing to focus.
      await form.handleSubmit(send, refuse)();
      if (!isSent) focusFault();
      return isSent;
    },
    showFaults(error, at = "") {
      const unplaced: string[] = [];
      const faults = faultsOf(error);
      for (const { pointer, detail } of faults) {
        const field = fieldOfPointer(`${at}${pointer}`);
        if (field === null) unplaced.push(`${pointer}: ${detail}`);
        else form.setError(field, { type: "server", message: detail });
      }
      focusFault();
      return { isAtField: faults.length > unplaced.length, unplaced };
    },
  };
}

function faultsOf(error: unknown): readonly BodyFault[] {
  if (!(error instanceof Problem)) return [];
  const isTaken = error.kind === "experiment-name-taken";
  return isTaken ? [{ pointer: "/name", detail: error.detail }] : error.faults;
}

type FormCheck = (values: ExperimentValues) => readonly BodyFault[];

/** Reports the errors of a check to the form, each at its field. */
function resolve(values: ExperimentValues, check: FormCheck): ReturnType<Resolver<ExperimentValues>> {
  const errors: FieldErrors<ExperimentValues> = {};
  for (const { pointer, detail } of check(values)) {
    const place = fieldOfPointer(pointer);
    // An error of the list itself is added to those of its rows.
    if (place !== null)
      set(errors, place, Object.assign(get(errors, place) ?? {}, { type: "check", message: detail }));
  }
  return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors };
}
