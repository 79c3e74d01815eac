import type { Clock } from "@assay/domain";

/**
 * Makes the gate of lines that a flood of requests would otherwise write by the thousand: of each key one in `intervalMs` passes,
 * and gets the number of those that were left out before it; null: leave this one out, too. Keys must be few.
 */
export function sparingly(intervalMs: number, clock: Clock): (key: string) => number | null {
  const gates = new Map<string, { opensAt: number; leftOut: number }>();
  return (key) => {
    const now = clock.now();
    const gate = gates.get(key);
    if (gate !== undefined && now < gate.opensAt) {
      gate.leftOut += 1;
      return null;
    }
    gates.set(key, { opensAt: now + intervalMs, leftOut: 0 });
    return gate?.leftOut ?? 0;
  };
}
