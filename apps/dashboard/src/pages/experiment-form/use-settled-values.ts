import { useEffect, useState } from "react";
import { useFormContext } from "react-hook-form";
import type { ExperimentValues } from "./form-values.ts";

const SETTLED_MS = 400;

/** Returns what the form held when nobody typed for a moment: what is derived from it need not follow each key. */
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
