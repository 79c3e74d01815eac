import type { KeyedMutex } from "../keyed-mutex.ts";

/** Data that a process caches and another may change. `judging` and `rehearsing`: there are new requests to send. */
export type ChangeKind = "config" | "keys" | "plan" | "judging" | "rehearsing";

/** A committed change, of this process or another. */
export interface Change {
  readonly kind: ChangeKind;
  readonly orgId: string;
}

/** A subscription to what other processes commit. */
export interface ChangeWatch {
  /** Whether this process knows everything that was committed more than a second ago; false while the connection is down. */
  isCurrent(): boolean;
  /** Resolves once every process knows what has been committed until now, or knows that its watch is not current. */
  untilPropagated(): Promise<void>;
  close(): Promise<void>;
}

/** A process's part in a leader election, until it is stopped. */
export interface LeaderElection {
  isLeader(): boolean;
  /** Ends the current work and gives up the leadership. */
  stop(): Promise<void>;
}

/** Coordination of the processes on one database. A process that has its database to itself is current and leads. */
export interface Coordination {
  /**
   * Calls `onChange` within a second after another process commits a change to cached data (this process's own commits may arrive,
   * too), and `onGap` when changes may have been missed, so that everything cached must be read again.
   */
  watchChanges(listener: {
    readonly onChange: (change: Change) => void;
    readonly onGap: () => void;
  }): Promise<ChangeWatch>;
  /**
   * Runs `work` while this process leads; only one process leads at a time. When this process loses the lead, the signal is aborted;
   * `work` must then end soon, because another process begins within seconds.
   */
  electLeader(work: (leading: AbortSignal) => Promise<void>): LeaderElection;
  /** Runs tasks of one name one at a time, across all processes; a failed task does not stop the next. */
  readonly withLock: KeyedMutex;
}
