import type { CallTexts } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";
import { parameterChunks } from "../sql/parameter-chunks.ts";

type TextRow = readonly [eventId: string, prompt: string | null, response: string | null];

/** Loads the texts of raw events. FINAL is not needed, because duplicates of an event are equal. */
export async function loadTexts(
  engine: EventEngine,
  eventIds: readonly string[],
  experiment: { readonly orgId: string; readonly experimentId: string },
): Promise<ReadonlyMap<string, CallTexts>> {
  const texts = new Map<string, CallTexts>();
  for (const chunk of parameterChunks(eventIds, (id) => [id])) {
    const rows = await engine.rows<TextRow>(
      `SELECT event_id, nullIf(prompt, ''), nullIf(response, '') FROM raw_events
       WHERE ${OF_EXPERIMENT} AND event_id IN {event_ids: Array(String)} LIMIT 1 BY event_id`,
      { org_id: experiment.orgId, experiment_id: experiment.experimentId, event_ids: chunk },
    );
    for (const [eventId, prompt, response] of rows) texts.set(eventId, { prompt, response });
  }
  return texts;
}
