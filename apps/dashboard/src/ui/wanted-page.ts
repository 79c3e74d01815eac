import { dropDraft, keepDraft, readDraft } from "./use-draft.ts";

/** Like a draft, it is dropped at sign-out, because it belongs to the person who was signed in. */
const KEY = "wanted-page";

/** Keeps the page that needs a sign-in first. */
export function keepWantedPage(): void {
  keepDraft(KEY, location.pathname + location.search);
}

/** Returns the page that was opened without a session, or else the list of experiments. */
export function wantedPage(): string {
  return readDraft<string>(KEY) ?? "/";
}

/** Returns it once. */
export function takeWantedPage(): string {
  const page = wantedPage();
  dropDraft(KEY);
  return page;
}
