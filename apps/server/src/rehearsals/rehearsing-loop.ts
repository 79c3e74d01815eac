import type { Deps } from "../deps.ts";
import type { JudgeEndpoint } from "../judging/judge-endpoint.ts";
import type { AnswerEndpoint } from "./answer-endpoint.ts";
import { createReports } from "./load-report.ts";
import { RehearsalPool } from "./rehearsal-pool.ts";
import type { Rehearsing } from "./rehearsing.ts";

/** The rehearsing of a process, including its background work. */
export interface RehearsingLoop extends Rehearsing {
  /** Stops, and releases what is claimed. */
  close(): Promise<void>;
}

interface Endpoints {
  readonly answers: AnswerEndpoint | null;
  readonly judge: JudgeEndpoint | null;
  /** Whether this process makes requests. Others only accept rehearsals from people. */
  readonly isWorker: boolean;
}

type RehearsingDeps = Pick<Deps, "control" | "pipeline" | "plans" | "clock" | "newId" | "log" | "metrics">;

/** Makes the rehearsing of a process. */
export function createRehearsing(
  { answers, judge, isWorker }: Endpoints,
  deps: RehearsingDeps,
): RehearsingLoop {
  const isConfigured = answers !== null && judge !== null;
  const pool = isConfigured && isWorker ? new RehearsalPool({ ...deps, answers, judge }) : null;
  return {
    isConfigured,
    wake: () => pool?.wake(),
    report: createReports(deps),
    close: async () => pool?.close(),
  };
}
