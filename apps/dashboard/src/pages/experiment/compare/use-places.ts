import { useState } from "react";
import { useSingleKeys } from "../../../ui/use-single-keys.ts";

/** Where the reader is in a list of comparisons. */
export interface Places {
  /** Place of the comparison that keys act on. */
  readonly current: number;
  readonly goTo: (place: number) => void;
}

/** Where the reader is in a list of `PlacedComparison`. */
export function usePlaces(count: number): Places {
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

/** What keys do: J and K move, digits pick; all others go to `onOther`. */
export function usePickKeys(
  { current, goTo }: Places,
  pick: (place: number, index: number | null) => void,
  onOther: (key: string) => void = () => {},
): void {
  useSingleKeys((key) => {
    const index = pickOf(key);
    if (key === "j") goTo(current + 1);
    else if (key === "k") goTo(current - 1);
    else if (index !== undefined) pick(current, index);
    else onOther(key);
  });
}

/** The pick of a digit: the place of the best answer, null for none. Undefined: no pick. */
function pickOf(key: string): number | null | undefined {
  if (key === "0") return null;
  return /^[1-9]$/.test(key) ? Number(key) - 1 : undefined;
}
