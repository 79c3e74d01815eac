import { useState } from "react";

/** Where the reader is in a list of comparisons, marked with `data-comparison`. */
export function usePlaces(count: number) {
  const [current, setCurrent] = useState(0);
  const goTo = (place: number) => {
    const to = Math.max(0, Math.min(count - 1, place));
    setCurrent(to);
    const row = document.querySelector<HTMLElement>(`[data-comparison="${to}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  };
  return { current, goTo };
}

/** The pick of a digit: the place of the best answer, null for none. Undefined: no pick. */
export function pickOf(key: string): number | null | undefined {
  if (key === "0") return null;
  return /^[1-9]$/.test(key) ? Number(key) - 1 : undefined;
}
