/** Treatment colors that color-blind readers can distinguish (Okabe & Ito 2008, adjusted for contrast); base.css defines them for light and dark. */
const TREATMENTS = 6;

/** Returns each variant's color as a CSS value: control is always gray, and a variant has the same color on every page. */
export function armColors(variants: readonly string[], control: string): ReadonlyMap<string, string> {
  const treatments = variants.filter((key) => key !== control);
  return new Map([
    [control, "var(--arm-control)"],
    ...treatments.map((key, index) => [key, `var(--arm-${index % TREATMENTS})`] as const),
  ]);
}
