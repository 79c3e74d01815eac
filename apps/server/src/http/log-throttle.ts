import type { Clock } from "@assay/domain";

/** Returns how many lines of the key were suppressed before this one, or null to suppress this one too. */
export type LogThrottle = (key: string) => number | null;

/** Limits log lines to one per key and `intervalMs`, so that a flood of requests does not flood the log. Use few keys. */
export function createLogThrottle(intervalMs: number, clock: Clock): LogThrottle {
  const windows = new Map<string, { endsAt: number; suppressed: number }>();
  return (key) => {
    const now = clock.now();
    const window = windows.get(key);
    if (window !== undefined && now < window.endsAt) {
      window.suppressed += 1;
      return null;
    }
    windows.set(key, { endsAt: now + intervalMs, suppressed: 0 });
    return window?.suppressed ?? 0;
  };
}
