import { useEffect, useState } from "react";
import { useFormContext } from "react-hook-form";
import type { ExperimentValues } from "./form-values.ts";

const SETTLED_MS = 400;

/** Returns the form's values after typing pauses, so that derived values do not follow every keystroke. */
export function useSettledValues(): ExperimentValues {
  const { getValues, watch } = useFormContext<ExperimentValues>();
  const [settled, settle] = useState(() => structuredClone(getValues()));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { unsubscribe } = watch(() => {
      clearTimeout(timer);
      timer = setTimeout(() => settle(structuredClone(getValues())), SETTLED_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [getValues, watch]);
  return settled;
}
