import type { WholeCall } from "../telemetry/assemble.ts";
import type { CallFact, EvaluationFact, TraceFact } from "../telemetry/facts.ts";
import type { TraceOutcome, Unjoined } from "../telemetry/settle-trace.ts";
import type { Erasure } from "./erasures.ts";

/** A trace within an org, and who sent it first. */
export interface TraceOrigin {
  readonly orgId: string;
  readonly traceId: string;
  readonly keyPrefix: string | null;
  readonly client: string | null;
}

/** A trace that was quiet long enough. */
export interface DueTrace extends TraceOrigin {
  /** Grows with everything that is added. */
  readonly revision: number;
  /** In any order. A fact occurs several times if it arrived together with different other facts. */
  readonly facts: readonly TraceFact[];
  /** Whether these are all facts of the trace: only a part of a trace that is too large is read. */
  readonly isWhole: boolean;
}

/** A due trace and the outcomes of its calls and scores, by the keys of their facts. */
export interface SettledDue {
  readonly trace: DueTrace;
  readonly outcomes: ReadonlyMap<string, TraceOutcome>;
  readonly wholes: ReadonlyMap<string, WholeCall>;
}

/** When a trace is due: once nothing new has arrived for `quietMs`, and at the latest `maxMs` after the first new fact. */
export interface TracePatience {
  readonly quietMs: number;
  readonly maxMs: number;
}

/** Counts of the calls of one instrumentation. */
export interface ScopeCalls {
  /** Name and version of the instrumentation. */
  readonly scope: string;
  readonly isStream: boolean;
  readonly hasUsage: boolean;
  /** `waiting`: their trace is not settled yet. */
  readonly outcome: TraceOutcome | "waiting";
  readonly calls: number;
}

/** The newest facts of an org's traces; null if there are none in the last day, or none in its newest traces. */
export interface NewestFacts {
  readonly call: {
    readonly traceId: string;
    readonly fact: CallFact;
    readonly outcome: Exclude<ScopeCalls["outcome"], "outer-call">;
  } | null;
  readonly evaluation: { readonly traceId: string; readonly fact: EvaluationFact } | null;
}

/** The facts of traces, until a day after a trace began. */
export interface WaitingTraceStore {
  /** Adds facts that arrived together. A trace that gets new facts becomes due again. */
  add(
    traces: readonly (TraceOrigin & { readonly facts: readonly TraceFact[] })[],
    at: number,
    patience: TracePatience,
  ): Promise<void>;
  /**
   * At most `limit` traces that are due at `now`, the longest waiting first. Together they have at most `maxSize` bytes, where each fact
   * counts 1 KiB extra; the first is returned whatever its size.
   */
  listDue(now: number, limit: number, maxSize: number): Promise<readonly DueTrace[]>;
  /** Counts the outcomes of traces' calls and scores. A trace that got new facts meanwhile stays due, with all of its calls. */
  settle(settled: readonly SettledDue[]): Promise<void>;
  /** Removes the traces that began before an instant. Returns how many of their calls and scores became no event, by reason. */
  expire(before: number): Promise<ReadonlyMap<Unjoined, number>>;
  /** Counts the calls of an org's traces by instrumentation. */
  countCalls(orgId: string): Promise<readonly ScopeCalls[]>;
  /** Finds a call and an evaluation of the newest of an org's traces. */
  findNewest(orgId: string): Promise<NewestFacts>;
  /** Removes the traces that began before the request and name the user. Returns how many there were. */
  eraseUsers(erasures: readonly Erasure[]): Promise<number>;
}
