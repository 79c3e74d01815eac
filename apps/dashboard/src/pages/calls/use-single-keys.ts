import { useEffect } from "react";

/** Handles single keys anywhere on the page, in lower case, except while typing and in browser shortcuts. */
export function useSingleKeys(onKey: (key: string) => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
      onKey(event.key.toLowerCase());
    };
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  });
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
