const listeners = new Set<(text: string) => void>();

/** Tells the reader that something was done: shown for a few seconds and read out. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

/** Hears what is announced; returns the end of hearing. */
export function onAnnounce(listener: (text: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
