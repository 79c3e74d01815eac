const waiting: (() => void)[] = [];

/**
 * Waits for a turn of work that would block the event loop if it ran in one piece. The waiting works get their turns in the order in which
 * they asked, one in each pass of the event loop. So a request waits for at most one turn, however many large bodies are being read.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(give);
  });
}

function give(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(give);
}

/** How long a turn lasts, unless a single step takes longer. */
export const TURN_MS = 4;

/**
 * Makes the function to call between the steps of long work, which waits for the next turn once this one is over. It returns null before
 * that, because an unneeded wait takes as long as a step.
 */
export function turns(): () => Promise<void> | null {
  let startedAt = performance.now();
  const take = async () => {
    await nextTurn();
    startedAt = performance.now();
  };
  return () => (performance.now() - startedAt < TURN_MS ? null : take());
}
