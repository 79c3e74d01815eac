/** The control plane's tables. Timestamps are epoch milliseconds, JSON is text, and SQL names are in snake_case. */
export interface WaitingTraceTable {
  orgId: string;
  traceId: string;
  keyPrefix: string | null;
  client: string | null;
  firstAt: number;
  waitingSince: number | null;
  dueAt: number | null;
  revision: number;
  size: number;
  waitingCalls: string | null;
}

export interface TraceBatchTable {
  receivedAt: number;
  batchId: string;
  orgId: string;
  keyPrefix: string | null;
  client: string | null;
  quietMs: number;
  maxMs: number;
  body: string;
}

export interface TracePieceTable {
  orgId: string;
  traceId: string;
  pieceKey: string;
  userId: string | null;
  size: number;
  body: string;
}

export interface TraceOutcomeTable {
  orgId: string;
  traceId: string;
  kind: "call" | "score";
  scope: string;
  isStream: number;
  hasUsage: number;
  outcome: string;
  count: number;
}
