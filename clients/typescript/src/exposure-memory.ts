/** Remembers which exposures were recorded lately, since each one is billed. */
export interface ExposureMemory {
  /** Tells whether the user's exposure to the arm was recorded within the window around `now`, and keeps it longer. */
  has(arm: string, user: string, now: number): boolean;
  /** Remembers an exposure, forgetting those used longest ago when there are too many. */
  add(arm: string, user: string, now: number): void;
}

/** When each user's exposure was recorded, by arm: one map of both would make a new text for every look-up. */
type Generation = Map<string, Map<string, number>>;

/**
 * Makes a memory of at most `capacity` exposures, and always the half of that used last, each for `windowMs`. Instants
 * are epoch milliseconds and may go backwards, as in a replay.
 */
export function createExposureMemory(windowMs: number, capacity: number): ExposureMemory {
  // Two generations instead of an exact order: what is looked up often costs no write.
  let young: Generation = new Map();
  let old = young;
  let size = 0;
  const add = (arm: string, user: string, at: number) => {
    if (size * 2 >= capacity) {
      old = young;
      young = new Map();
      size = 0;
    }
    size++;
    const users = young.get(arm);
    if (users) users.set(user, at);
    else young.set(arm, new Map([[user, at]]));
  };
  const has = (arm: string, user: string, now: number) => {
    let at = young.get(arm)?.get(user);
    if (at === undefined) {
      at = old.get(arm)?.get(user);
      if (at === undefined) return false;
      add(arm, user, at);
    }
    return Math.abs(now - at) < windowMs;
  };
  return { has, add };
}
