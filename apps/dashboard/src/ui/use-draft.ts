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
    const { unsubscribe } = watch((values) => keepDraft(key, values));
    return unsubscribe;
  }, [key, watch, isSent]);
}

/** Keeps what is typed; a store that is full or forbidden costs the draft, not the form. */
export function keepDraft(key: string, values: unknown): void {
  try {
    sessionStorage.setItem(draftKey(key), JSON.stringify(values));
  } catch {
    dropDraft(key);
  }
}

/** Forgets all drafts of the tab: the next person is another. */
export function dropAllDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

/** Forgets a draft: after it was sent, or thrown away. */
export function dropDraft(key: string): void {
  sessionStorage.removeItem(draftKey(key));
}

const PREFIX = "assay.draft.";
const draftKey = (key: string) => PREFIX + key;
