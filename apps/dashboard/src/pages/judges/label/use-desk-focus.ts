import { type RefObject, useEffect } from "react";
import { useOutbox } from "./tab-outbox.ts";

/** Keeps the focus where the keys work: on the next call, unless a button has it, which may be pressed again. */
export function useDeskFocus(desk: RefObject<HTMLElement | null>, eventId: string | undefined): void {
  const { problem, refused } = useOutbox();
  const noticed = `${problem?.message ?? ""} ${refused.length}`;
  useEffect(() => {
    const call = eventId === undefined ? null : callOn(desk.current);
    const isOnButton = document.activeElement?.closest(".desk-buttons") != null;
    if (!isOnButton) (call ?? desk.current)?.focus({ preventScroll: true });
    if (call !== null && call.getBoundingClientRect().top < 0) call.scrollIntoView();
  }, [desk, eventId]);
  useEffect(() => {
    // A dismissed notice took the focus with its button.
    if (noticed !== "" && document.activeElement === document.body) callOn(desk.current)?.focus();
  }, [desk, noticed]);
}

/** Finds the shown call; null: none yet. */
export function callOn(desk: HTMLElement | null): HTMLElement | null {
  return desk?.querySelector<HTMLElement>("[data-call]") ?? null;
}
