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
