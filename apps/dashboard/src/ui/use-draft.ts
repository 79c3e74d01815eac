import { useEffect } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";

/** Reads what was typed into a form before the page was left or reloaded; null: nothing is kept. */
export function readDraft<Values>(key: string): Values | null {
  const text = sessionStorage.getItem(draftKey(key));
  try {
    return text === null ? null : (JSON.parse(text) as Values);
  } catch {
    return null;
  }
}

/** Keeps what is typed for as long as the tab lives, so that neither a sign-in nor a reload costs it. */
export function useDraft<Values extends FieldValues>(
  key: string,
  { watch, formState }: UseFormReturn<Values>,
): void {
  const isSent = formState.isSubmitSuccessful;
  useEffect(() => {
    if (isSent) return undefined;
    const { unsubscribe } = watch((values) => sessionStorage.setItem(draftKey(key), JSON.stringify(values)));
    return unsubscribe;
  }, [key, watch, isSent]);
}

/** Forgets a draft: after it was sent, or thrown away. */
export function dropDraft(key: string): void {
  sessionStorage.removeItem(draftKey(key));
}

const draftKey = (key: string) => `assay.draft.${key}`;
