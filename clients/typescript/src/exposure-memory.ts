/** Remembers which exposures were recorded recently, since each one is billed. */
export interface ExposureMemory {
  /**
   * Returns whether the user's exposure to the arm was recorded within the window around `now`. If so, keeps it longer.
   */
  has(arm: string, user: string, now: number): boolean;
  /** Remembers an exposure. When there are too many, forgets the least recently used ones. */
  add(arm: string, user: string, now: number): void;
}

/**
 * When each user's exposure was recorded, by arm. A single map would need a new key string for every look-up.
 */
type Generation = Map<string, Map<string, number>>;

/**
 * Makes a memory that keeps each exposure for `windowMs`. It has room for `capacity` exposures and keeps at least the
 * most recently used half of that. Times are epoch milliseconds and may go backward, as in a replay.
 */
export function createExposureMemory(windowMs: number, capacity: number): ExposureMemory {
  // Two generations instead of an exact order, so that looking up a frequent user needs no write.
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
