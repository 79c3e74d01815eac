const FAULTS = ".field[data-invalid] :is(input, textarea, button), [data-fault]";

/** Moves the focus to the first field below that shows a fault, also where it was folded away. */
export function focusFirstFault(place: HTMLElement | null): void {
  const first = place?.querySelector<HTMLElement>(FAULTS);
  if (!first) return;
  first.closest("details")?.setAttribute("open", "");
  first.focus();
}
