/** Takes a share of a table's cases, evenly spread over the table; 1 takes all. */
export function shareOf<Case>(cases: readonly Case[], share: number): readonly Case[] {
  return cases.filter((_, index) => Math.floor((index + 1) * share) > Math.floor(index * share));
}
