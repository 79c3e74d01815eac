import { dropDraft, keepDraft, readDraft } from "./use-draft.ts";

/** Like a draft, it goes at the sign-out: it is a page of the person who was signed in. */
const KEY = "wanted-page";

/** Keeps the page that needs a sign-in first. */
export function keepWantedPage(): void {
  keepDraft(KEY, location.pathname + location.search);
}

/** Returns the page that was opened without a session; without one the list of experiments. */
export function wantedPage(): string {
  return readDraft<string>(KEY) ?? "/";
}

/** Returns it once. */
export function takeWantedPage(): string {
  const page = wantedPage();
  dropDraft(KEY);
  return page;
}
