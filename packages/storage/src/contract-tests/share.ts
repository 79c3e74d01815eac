/** Takes a share of the cases of a table, spread over it; 1 is all. */
export function shareOf<Case>(cases: readonly Case[], share: number): readonly Case[] {
  return cases.filter((_, index) => Math.floor((index + 1) * share) > Math.floor(index * share));
}
