import { murmur3 } from "@assay/bucketing";
import type { JudgementTask } from "../ports/judgements.ts";

/**
 * Names the request of a judgement, the same after a crash, so that an endpoint that honours `Idempotency-Key` charges it
 * once. `unreadable` counts the answers to it that could not be read: whoever asks again after one wants another answer, as
 * does whoever takes up a judgement that failed (`drawnAt`).
 */
export function judgementIdempotencyKey(
  task: Pick<
    JudgementTask,
    | "orgId"
    | "experimentId"
    | "metric"
    | "metricVersion"
    | "judgeVersion"
    | "eventId"
    | "isRepeat"
    | "drawnAt"
  >,
  unreadable: number,
): string {
  const { orgId, experimentId, metric, metricVersion, judgeVersion, eventId, isRepeat, drawnAt } = task;
  const named = [
    orgId,
    experimentId,
    metric,
    metricVersion,
    judgeVersion,
    eventId,
    isRepeat,
    drawnAt,
    unreadable,
  ];
  const text = JSON.stringify(named);
  return `assay-${[0, 1, 2, 3].map((seed) => murmur3(text, seed).toString(16).padStart(8, "0")).join("")}`;
}
