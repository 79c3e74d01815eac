const listeners = new Set<(text: string) => void>();

/** Announces an action: shown for a few seconds and read out by screen readers. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

/** Subscribes to announcements; returns the unsubscribe function. */
export function onAnnounce(listener: (text: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
