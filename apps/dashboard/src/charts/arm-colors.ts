/** Colours for treatments, told apart by colour-blind eyes too (Okabe & Ito 2008, darkened or lightened for contrast); base.css defines them for light and dark. */
const TREATMENTS = 6;

/** Returns each variant's colour as a CSS value: control is always grey, a variant has the same colour on every page. */
export function armColors(variants: readonly string[], control: string): ReadonlyMap<string, string> {
  const treatments = variants.filter((key) => key !== control);
  return new Map([
    [control, "var(--arm-control)"],
    ...treatments.map((key, index) => [key, `var(--arm-${index % TREATMENTS})`] as const),
  ]);
}
