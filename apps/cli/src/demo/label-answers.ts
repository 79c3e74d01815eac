import type { LabelQueue } from "@assay/contract";
import {
  DEMO_EXPERIMENT,
  DEMO_LABEL_NOTE,
  DEMO_LABELS_PER_ARM,
  findRecording,
  simulatedLabel,
} from "@assay/server";
import type { Static } from "typebox";
import type { Api } from "../api.ts";
import { CommandError } from "../command-error.ts";

/** Takes calls from the labeling queue of each judged metric and scores them as the demo's simulated readers would. */
export async function labelAnswers(api: Api, experimentId: string): Promise<void> {
  for (const { name, judge } of DEMO_EXPERIMENT.metrics)
    if (judge) await labelMetric(api, experimentId, name);
}

async function labelMetric(api: Api, experimentId: string, metric: string): Promise<void> {
  const labels = `/v1/experiments/${experimentId}/labels`;
  for (;;) {
    const queue = await api.call<Static<typeof LabelQueue>>(
      "GET",
      `${labels}/queue?metric=${metric}&limit=30`,
    );
    if (queue.labelled >= DEMO_LABELS_PER_ARM || queue.items.length === 0) return;
    for (const { event_id, answer } of queue.items) {
      const recording = findRecording(answer ?? "");
      if (recording === null) throw new CommandError(`No recording matches the answer of event ${event_id}.`);
      await api.call("POST", labels, {
        metric,
        event_id,
        score: simulatedLabel(recording),
        note: DEMO_LABEL_NOTE,
      });
    }
  }
}
