import type { KeyedMutex } from "../keyed-mutex.ts";

/** What a process keeps in memory and another may change; `judging`: there is something to judge again. */
export type ChangeKind = "config" | "keys" | "plan" | "judging";

/** Something that was committed, here or elsewhere. */
export interface Change {
  readonly kind: ChangeKind;
  readonly orgId: string;
}

/** A look-out for what other processes commit. */
export interface ChangeWatch {
  /** Whether what was committed more than a second ago is known here: false while the line is down. */
  isCurrent(): boolean;
  /** Resolves once each process knows of what is committed by now, or knows that its watch is not current. */
  untilPropagated(): Promise<void>;
  close(): Promise<void>;
}

/** A process that stands for leader until it is stopped. */
export interface LeaderElection {
  isLeader(): boolean;
  /** Ends the work under way and hands the lead over. */
  stop(): Promise<void>;
}

/** What several processes on one database agree on. Alone on a database a process is current and leads. */
export interface Coordination {
  /**
   * Calls `onChange` within a second of each commit of another process that changes what processes keep in memory (of this one's,
   * perhaps), and `onGap` when some may have been missed: everything kept is then to be read again.
   */
  watchChanges(listener: {
    readonly onChange: (change: Change) => void;
    readonly onGap: () => void;
  }): Promise<ChangeWatch>;
  /**
   * Runs `work` for as long as this process leads: one process of all at a time. The signal is aborted when it no longer
   * does; `work` must then end soon, since another process begins within seconds.
   */
  electLeader(work: (leading: AbortSignal) => Promise<void>): LeaderElection;
  /** Runs works of one name one after the other, whichever process they are in; a failure does not stop the next. */
  readonly withLock: KeyedMutex;
}
