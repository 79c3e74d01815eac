import type { SecurityEvent } from "./security-event.ts";

/** A refused request that may be logged. */
export type Refusal = Pick<SecurityEvent, "name" | "orgId" | "actor" | "network" | "route" | "reason">;

/** Number of suppressed refusals, with what they have in common. */
export interface LeftOut extends Pick<Refusal, "name" | "orgId" | "network"> {
  readonly leftOut: number;
}

/**
 * Maximum number of networks with a window of their own, per event and org; further networks share one window.
 */
const MAX_NETWORKS = 50;
/** Maximum number of windows, not counting the shared one of each event. */
const MAX_WINDOWS = 2_000;

type Scope = Pick<Refusal, "name" | "orgId" | "network">;

/** Decides which refusals are reported, in bounded memory. */
export interface RefusalWindows {
  /**
   * Returns whether to report the refusal: it is the first of its event, org and network since the last closing.
   */
  open(refusal: Refusal): boolean;
  /** Closes all windows and returns the suppressed refusals in them. */
  close(): readonly LeftOut[];
}

/** Creates empty windows. */
export function createRefusalWindows(): RefusalWindows {
  let windows = new Map<string, { scope: Scope; leftOut: number }>();
  let networks = new Map<string, number>();

  function scopeOf({ name, orgId, network }: Refusal): Scope {
    const own = { name, orgId, network };
    if (windows.has(keyOf(own))) return own;
    if (windows.size >= MAX_WINDOWS) return { name, orgId: null, network: null };
    const shared = { name, orgId, network: null };
    const count = networks.get(keyOf(shared)) ?? 0;
    if (count >= MAX_NETWORKS) return shared;
    networks.set(keyOf(shared), count + 1);
    return own;
  }

  return {
    open(refusal) {
      const scope = scopeOf(refusal);
      const window = windows.get(keyOf(scope));
      if (window === undefined) windows.set(keyOf(scope), { scope, leftOut: 0 });
      else window.leftOut += 1;
      return window === undefined;
    },
    close() {
      const ended = [...windows.values()].filter(({ leftOut }) => leftOut > 0);
      windows = new Map();
      networks = new Map();
      return ended.map(({ scope, leftOut }) => ({ ...scope, leftOut }));
    },
  };
}

const keyOf = ({ name, orgId, network }: Scope): string => JSON.stringify([name, orgId, network]);
