import {
  type Experiment,
  type JudgedSeries,
  type LabelCandidate,
  rubricMetrics,
  seriesOf,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import type { Demo } from "./demo-definition.ts";

/** Enough labels to correct the judge. */
export const DEMO_LABELS_PER_ARM = 60;
/** The name given for the labels, which no person made. */
const SIMULATED_READERS = "Simulated readers";
export const DEMO_LABEL_NOTE = "Simulated: nobody labeled the demo's answers.";

interface DemoReading {
  readonly demo: Demo;
  /** Id of the person who loads the demo. */
  readonly loaderId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Labels the first drawn answers of every variant as the simulated readers would, and keeps existing labels. */
export async function labelDemo(
  experiment: Experiment,
  { demo, loaderId, at }: DemoReading,
  deps: Pick<Deps, "control" | "events">,
): Promise<void> {
  const { control, events } = deps;
  for (const metric of rubricMetrics(experiment)) {
    const series = seriesOf(experiment, metric);
    const missing = await missingLabels(series, deps);
    const ids = missing.map(({ eventId }) => eventId);
    const texts = await events.loadTexts(experiment.orgId, experiment.id, ids);
    await Promise.all(
      ids.map(async (eventId) => {
        const score = demo.label(texts.get(eventId)?.response ?? "");
        if (score === null) return;
        await control.judgements.putLabel({
          ...series,
          eventId,
          score,
          note: DEMO_LABEL_NOTE,
          labelledBy: loaderId,
          labelledByName: SIMULATED_READERS,
          labelledAt: at,
          isDrawn: true,
        });
      }),
    );
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
