import { useEffect } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";

/** Reads a form's draft from before a reload; null: none. */
export function readDraft<Values>(key: string): Values | null {
  const text = sessionStorage.getItem(draftKey(key));
  try {
    return text === null ? null : (JSON.parse(text) as Values);
  } catch {
    return null;
  }
}

/** Keeps a form's input while the tab is open, so that it survives a sign-in or reload. */
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

/** Stores a draft. If the storage is full or blocked, only the draft is lost. */
export function keepDraft(key: string, values: unknown): void {
  try {
    sessionStorage.setItem(draftKey(key), JSON.stringify(values));
  } catch {
    dropDraft(key);
  }
}

/** Deletes all drafts of the tab, before another person signs in. */
export function dropAllDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

/** Deletes a draft. */
export function dropDraft(key: string): void {
  sessionStorage.removeItem(draftKey(key));
}

const PREFIX = "assay.draft.";
const draftKey = (key: string) => PREFIX + key;
