import { type RefObject, useEffect } from "react";
import type { LabelAction } from "./label-keys.ts";
import { callOn } from "./use-desk-focus.ts";

/** Handles single keys while the focus is on the desk, except in the note and where a control uses the key itself. */
export function useDeskKeys(
  desk: RefObject<HTMLElement | null>,
  actionOf: (key: string) => LabelAction | null,
  act: (action: LabelAction) => void,
): void {
  useEffect(() => {
    const place = desk.current;
    const hear = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (event.target instanceof HTMLTextAreaElement) {
        if (event.key === "Escape") callOn(place)?.focus();
        return;
      }
      const action = actionOf(event.key);
      if (action === null || isOwn(event.target, action)) return;
      event.preventDefault();
      act(action);
    };
    place?.addEventListener("keydown", hear);
    return () => place?.removeEventListener("keydown", hear);
  });
}

/** Returns whether the focused control uses the key itself: a button uses Enter, a slider the arrows. */
function isOwn(target: EventTarget | null, { kind }: LabelAction): boolean {
  if (!(target instanceof Element)) return false;
  if (kind === "store") return target.closest("button, a, summary") !== null;
  return kind === "step" && target instanceof HTMLInputElement;
}
