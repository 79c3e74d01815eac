/** A client remembers more exposures, and queues more events, than this. */
const COUNT = 5_000;

/** The users of one round. */
export interface Users {
  readonly count: number;
  at(index: number): string;
  /** Runs before each round. The ids are new strings, because ids reach a server without a cached hash. */
  renew(): void;
}

/** The same users in each round. */
export function knownUsers(idOf: (serial: number) => string = (serial) => `user-${serial}`): Users {
  return usersOf(idOf, () => 0);
}

/** Users that no earlier round has seen. */
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
  // Made from bytes, like ids from the wire: the first call that reads a concatenated string would flatten it.
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
