/** Fewer than the exposures that a client remembers, and than the events that it holds. */
const COUNT = 5_000;

/** The users of one round. */
export interface Users {
  readonly count: number;
  at(index: number): string;
  /** Before each round: ids reach a server as new strings, in which no hash is cached yet. */
  renew(): void;
}

/** The same users in each round. */
export function knownUsers(idOf: (serial: number) => string = (serial) => `user-${serial}`): Users {
  return usersOf(idOf, () => 0);
}

/** Users whom no round before has seen. */
export function newUsers(): Users {
  let first = 0;
  return usersOf(
    (serial) => `new-user-${serial}`,
    () => {
      first += COUNT;
      return first;
    },
  );
}

function usersOf(idOf: (serial: number) => string, nextFirst: () => number): Users {
  // Out of bytes, as off the wire: a text put together of parts would be flattened in the first call that reads it.
  const make = (first: number) =>
    Array.from({ length: COUNT }, (_, index) => Buffer.from(idOf(first + index)).toString());
  let ids = make(0);
  return {
    count: COUNT,
    at: (index) => ids[index]!,
    renew() {
      ids = make(nextFirst());
    },
  };
}
