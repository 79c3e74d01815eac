import { murmur3 } from "@assay/bucketing";
import type { JudgementTask } from "../ports/judgements.ts";
import type { RehearsalTask } from "../ports/rehearsals.ts";

/**
 * Makes the idempotency key of a judgement's request. It is the same after a crash, so that an endpoint that honors
 * `Idempotency-Key` charges the request once. It changes with `unreadable`, the number of answers that could not be read, and with
 * `drawnAt` if a failed judgement is retried, because then a new answer is needed.
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
  return keyOf([
    orgId,
    experimentId,
    metric,
    metricVersion,
    judgeVersion,
    eventId,
    isRepeat,
    drawnAt,
    unreadable,
  ]);
}

/** Makes the idempotency key of a rehearsal's request, by the same rules. */
export function rehearsalIdempotencyKey(
  { rehearsal, place, step }: Pick<RehearsalTask, "rehearsal" | "place" | "step">,
  unreadable: number,
): string {
  return keyOf([rehearsal.orgId, rehearsal.id, place, step, unreadable]);
}

function keyOf(named: readonly unknown[]): string {
  const text = JSON.stringify(named);
  return `assay-${[0, 1, 2, 3].map((seed) => murmur3(text, seed).toString(16).padStart(8, "0")).join("")}`;
}
