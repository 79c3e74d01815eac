import {
  type Experiment,
  type JudgedSeries,
  type LabelCandidate,
  rubricMetrics,
  seriesOf,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { findRecording, simulatedLabel } from "./demo-recordings.ts";

/** Enough labels to correct the judge. */
export const DEMO_LABELS_PER_ARM = 60;
export const DEMO_LABEL_NOTE = "Simulated: nobody labeled the demo's answers.";

export interface DemoReader {
  readonly id: string;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Labels the first drawn answers of every variant as the simulated readers would, and keeps existing labels. */
export async function labelDemo(
  demo: Experiment,
  reader: DemoReader,
  deps: Pick<Deps, "control" | "events">,
): Promise<void> {
  const { control, events } = deps;
  for (const metric of rubricMetrics(demo)) {
    const series = seriesOf(demo, metric);
    const missing = await missingLabels(series, deps);
    const ids = missing.map(({ eventId }) => eventId);
    const texts = await events.loadTexts(demo.orgId, demo.id, ids);
    for (const eventId of ids) {
      const recording = findRecording(texts.get(eventId)?.response ?? "");
      if (recording === null) continue;
      await control.judgements.putLabel({
        ...series,
        eventId,
        score: simulatedLabel(recording),
        note: DEMO_LABEL_NOTE,
        labelledBy: reader.id,
        labelledByName: reader.name,
        labelledAt: reader.at,
        isDrawn: true,
      });
    }
  }
}

async function missingLabels(
  series: JudgedSeries,
  { control: { judgements } }: Pick<Deps, "control">,
): Promise<readonly LabelCandidate[]> {
  const labelled = Map.groupBy(await judgements.listCompared(series), ({ arm }) => arm);
  const range = { occurredFrom: 0, perArm: DEMO_LABELS_PER_ARM };
  const byArm = Map.groupBy(await judgements.listUnlabelled(series, range), ({ arm }) => arm);
  return [...byArm].flatMap(([arm, waiting]) =>
    waiting.slice(0, Math.max(0, DEMO_LABELS_PER_ARM - (labelled.get(arm)?.length ?? 0))),
  );
}
