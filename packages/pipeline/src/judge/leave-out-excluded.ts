import type { EventStore, ExperimentEvents } from "@assay/domain";
import type { JudgedMetric } from "../run-frame.ts";

/** Removes judged calls when exclusions match their events. Their scores stay in the control plane. */
export async function leaveOutExcluded(
  judged: readonly JudgedMetric[],
  query: ExperimentEvents,
  events: Pick<EventStore, "listExcluded">,
): Promise<readonly JudgedMetric[]> {
  const excluded = await events.listExcluded(
    query,
    judged.flatMap(({ calls }) => calls),
  );
  return judged.map((metric) => ({
    ...metric,
    calls: metric.calls.filter(({ eventId }) => !excluded.has(eventId)),
  }));
}
