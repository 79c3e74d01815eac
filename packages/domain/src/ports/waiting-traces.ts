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
  /** In any order, and several times if they came in different company. */
  readonly facts: readonly TraceFact[];
  /** Whether these are all of them: of a trace that is too large, a part is read. */
  readonly isWhole: boolean;
}

/** A due trace and what became of its calls and scores, by the keys of their facts. */
export interface SettledDue {
  readonly trace: DueTrace;
  readonly outcomes: ReadonlyMap<string, TraceOutcome>;
  readonly wholes: ReadonlyMap<string, WholeCall>;
}

/** When a trace is due: once nothing new has come for `quietMs`, and at the latest `maxMs` after the first new fact. */
export interface TracePatience {
  readonly quietMs: number;
  readonly maxMs: number;
}

/** What the calls of one instrumentation lack. */
export interface ScopeCalls {
  /** Name and version of the instrumentation. */
  readonly scope: string;
  readonly isStream: boolean;
  readonly hasUsage: boolean;
  /** `waiting`: their trace is not settled yet. */
  readonly outcome: TraceOutcome | "waiting";
  readonly calls: number;
}

/** What came last of an org's traces; null: nothing in the last day, or not in its newest traces. */
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
  /** Adds what came together of traces. A trace of which it is not known yet becomes due again. */
  add(
    traces: readonly (TraceOrigin & { readonly facts: readonly TraceFact[] })[],
    at: number,
    patience: TracePatience,
  ): Promise<void>;
  /**
   * At most `limit` traces that are due at `now`, the longest waiting first, and one at least if there is any. Together they have at
   * most `maxSize` bytes, where each fact counts as 1 KiB more.
   */
  listDue(now: number, limit: number, maxSize: number): Promise<readonly DueTrace[]>;
  /** Counts what became of the calls and scores of traces. A trace that got new facts meanwhile stays due, with all of its calls. */
  settle(settled: readonly SettledDue[]): Promise<void>;
  /** Removes the traces that began before an instant, and returns how many calls and scores became no event, by reason. */
  expire(before: number): Promise<ReadonlyMap<Unjoined, number>>;
  /** Counts the calls of an org's traces by instrumentation. */
  countCalls(orgId: string): Promise<readonly ScopeCalls[]>;
  /** Finds a call and an evaluation of the newest of an org's traces. */
  findNewest(orgId: string): Promise<NewestFacts>;
  /** Removes the traces that began before the request and name the user, and returns how many there were. */
  eraseUsers(erasures: readonly Erasure[]): Promise<number>;
}
