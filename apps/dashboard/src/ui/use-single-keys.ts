import { useEffect } from "react";

/** Controls that use letters themselves: fields for typing, lists to jump to an item by its first letter. */
const TYPED_INTO =
  "input, textarea, select, [contenteditable], [aria-haspopup=listbox], [role=listbox], [role=menu]";
const DIALOGS = "dialog[open], [role=dialog], [role=alertdialog]";

/** Returns whether the focused control uses letters itself. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TYPED_INTO) !== null;
}

export function isDialogOpen(): boolean {
  return document.querySelector(DIALOGS) !== null;
}

/** Returns whether a key is pressed alone, outside of controls that use it. Browser shortcuts and held keys do not count. */
export function isSingleKey(event: KeyboardEvent): boolean {
  const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
  return !isShortcut && !event.repeat && !event.isComposing && !isTyping(event.target);
}

/** Handles single keys anywhere on the page, in lower case. While a dialog is open, only its own keys work. */
export function useSingleKeys(onKey: (key: string) => void, of: "page" | "dialog" = "page"): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (!isSingleKey(event) || (of === "page" && isDialogOpen())) return;
      onKey(event.key.toLowerCase());
    };
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  });
}
