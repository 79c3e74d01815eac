import type { Deps } from "../deps.ts";
import type { JudgementPool } from "./judgement-pool.ts";
import type { JudgeStatus } from "./judging.ts";

/** A process counts as gone after three missed reports. */
const EXPIRY_MS = 30_000;

type Report = Omit<JudgeStatus, "model">;

interface JudgeReports {
  /** Combines the reports of all processes: the oldest fault, and the sum of the rates. */
  all(): Promise<Report>;
  put(): Promise<void>;
  /** Removes the report of this process, because it stops. */
  remove(): Promise<void>;
}

/** Makes the judge reports of a process. Nothing is written when the database is not shared. */
export function createJudgeReports(
  pool: Pick<JudgementPool, "fault" | "perMinute">,
  { control, clock, newId, log }: Pick<Deps, "control" | "clock" | "newId" | "log">,
): JudgeReports {
  const { isShared, judgeReports } = control;
  const processId = newId();
  const own = () => ({ processId, fault: pool.fault, perMinute: pool.perMinute });
  let isReported = false;
  return {
    async all() {
      const others = isShared ? await judgeReports.listSince(clock.now() - EXPIRY_MS) : [];
      const reports = [own(), ...others.filter((report) => report.processId !== processId)];
      const faults = reports.flatMap(({ fault }) => fault ?? []).sort((a, b) => a.since - b.since);
      return { fault: faults[0] ?? null, perMinute: reports.reduce((sum, one) => sum + one.perMinute, 0) };
    },
    async put() {
      if (!isShared) return;
      isReported = true;
      await judgeReports.put({ ...own(), reportedAt: clock.now() });
    },
    async remove() {
      if (!isReported) return;
      await judgeReports
        .remove(processId)
        .catch((error: unknown) =>
          log.warn({ err: error }, "could not remove the judge report; it expires by itself"),
        );
    },
  };
}
