/** Writes a share as a percentage of three digits, such as "1.25 %". */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}
