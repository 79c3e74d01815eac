/**
 * Continues with a value, at once unless it is a promise. So a hot path that has everything in memory answers in the
 * turn of the event loop in which its request arrived.
 */
export function whenReady<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
