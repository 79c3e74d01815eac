import type { LabelQueue } from "@assay/contract";
import { DEMO_LABEL_NOTE, DEMO_LABELS_PER_ARM, type Demo } from "@assay/server";
import type { Static } from "typebox";
import type { Api } from "../api.ts";
import { CommandError } from "../command-error.ts";

/** Reads calls from the labeling queue of each judged metric, and scores them as the demo's simulated readers would. */
export async function labelAnswers(api: Api, experimentId: string, demo: Demo): Promise<void> {
  for (const { name, judge } of demo.experiment.metrics)
    if (judge) await labelMetric(api, { experimentId, metric: name }, demo);
}

async function labelMetric(
  api: Api,
  { experimentId, metric }: { readonly experimentId: string; readonly metric: string },
  demo: Demo,
): Promise<void> {
  const labels = `/v1/experiments/${experimentId}/labels`;
  for (;;) {
    const queue = await api.call<Static<typeof LabelQueue>>(
      "GET",
      `${labels}/queue?metric=${metric}&limit=60`,
    );
    if (queue.labelled >= DEMO_LABELS_PER_ARM || queue.items.length === 0) return;
    // Concurrently, like several readers, so that they share commits.
    await Promise.all(
      queue.items.map(async ({ event_id, answer }) => {
        const score = demo.label(answer ?? "");
        if (score === null) throw new CommandError(`The demo does not know the answer of event ${event_id}.`);
        await api.call("POST", labels, { metric, event_id, score, note: DEMO_LABEL_NOTE });
      }),
    );
  }
}
