/** Number of nights with a look at the experiment. */
export const DAYS = 28;
/** Days whose figures are shown. */
export const SHOWN_DAYS = [1, 2, 4, 7, 14, 21, 28];

/** Returns, for every shown day, whether an alarm occurred on it or before. */
export function anyByDay<Look>(looks: Iterable<Look>, sounds: (look: Look) => boolean): readonly number[] {
  const alarms: number[] = [];
  let day = 0;
  let hasSounded = 0;
  for (const look of looks) {
    day++;
    if (hasSounded === 0 && sounds(look)) hasSounded = 1;
    if (SHOWN_DAYS.includes(day)) alarms.push(hasSounded);
  }
  return alarms;
}
