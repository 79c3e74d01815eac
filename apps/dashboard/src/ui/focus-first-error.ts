const FAULTS = ".field[data-invalid] :is(input, textarea, button), [data-fault]";

/** Focuses the first field with an error, and unfolds its section. */
export function focusFirstError(place: HTMLElement | null): void {
  const first = place?.querySelector<HTMLElement>(FAULTS);
  if (!first) return;
  first.closest("details")?.setAttribute("open", "");
  first.focus();
}
