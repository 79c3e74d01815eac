/** Each variant's share by its weight. */
export function sharesByVariant(
  allocation: readonly { readonly variant: string; readonly weight: number }[],
): ReadonlyMap<string, number> {
  const sum = allocation.reduce((total, { weight }) => total + weight, 0);
  return new Map(allocation.map(({ variant, weight }) => [variant, sum > 0 ? weight / sum : 0]));
}
