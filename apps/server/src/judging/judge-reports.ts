import type { Deps } from "../deps.ts";
import type { JudgementPool } from "./judgement-pool.ts";
import type { JudgeStatus } from "./judging.ts";

/** Three reports may be late before a process counts as gone. */
const KEPT_MS = 30_000;

type Told = Omit<JudgeStatus, "model">;

interface JudgeReports {
  /** How the judge does in all processes: any fault counts, the oldest first. */
  all(): Promise<Told>;
  put(): Promise<void>;
  /** Takes the report of this process back: it stops. */
  remove(): Promise<void>;
}

/** Makes the reports of a process; where none shares its database, nothing is written. */
export function createJudgeReports(
  pool: Pick<JudgementPool, "fault" | "perMinute">,
  { control, clock, newId, log }: Pick<Deps, "control" | "clock" | "newId" | "log">,
): JudgeReports {
  const { isShared, judgeReports } = control;
  const processId = newId();
  const own = () => ({ processId, fault: pool.fault, perMinute: pool.perMinute });
  let isTold = false;
  return {
    async all() {
      const others = isShared ? await judgeReports.listSince(clock.now() - KEPT_MS) : [];
      const told = [own(), ...others.filter((report) => report.processId !== processId)];
      const faults = told.flatMap(({ fault }) => fault ?? []).sort((a, b) => a.since - b.since);
      return { fault: faults[0] ?? null, perMinute: told.reduce((sum, one) => sum + one.perMinute, 0) };
    },
    async put() {
      if (!isShared) return;
      isTold = true;
      await judgeReports.put({ ...own(), reportedAt: clock.now() });
    },
    async remove() {
      if (!isTold) return;
      await judgeReports
        .remove(processId)
        .catch((error: unknown) => log.warn({ err: error }, "what was told of the judge runs out by itself"));
    },
  };
}
