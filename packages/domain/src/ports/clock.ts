/** The wall clock, in epoch milliseconds. */
export interface Clock {
  now(): number;
}
