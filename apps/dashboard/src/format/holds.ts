/** How often an experiment can be held; `holds` of the API has at most as many. */
export const MAX_HOLDS = 50;
/** From so many holds on, people are told how many are left. */
const WARN_FROM = 45;

/** Describes how many holds are left, including the n-th. Null while there are many. */
export function holdsLeftInWords(n: number): string | null {
  if (n >= MAX_HOLDS)
    return `This is the last of ${MAX_HOLDS} holds: it cannot be resumed. Stop the experiment, and start a new one when the cause is found.`;
  return n < WARN_FROM ? null : `This is hold ${n} of ${MAX_HOLDS}. The last one cannot be resumed.`;
}
