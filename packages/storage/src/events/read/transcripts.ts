import type { TranscriptEvent, TranscriptQuery, UnitEventsSoFar, UnitSoFar } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT, unitColumn } from "../sql/conditions.ts";
import { parameterChunks } from "../sql/parameter-chunks.ts";

/** Of a longer unit, only the newest events are read. A judge sees less text, but each prompt may repeat the conversation so far. */
const MAX_EVENTS = 100;
const MAX_BYTES = 256 * 1024;
/** Units per query. A result has at most 32 times `MAX_BYTES`, plus 32 events of any size. */
const UNITS_PER_QUERY = 32;

type EventRow = readonly [
  lastId: string,
  prompt: string | null,
  response: string | null,
  hasFailed: 0 | 1,
  tool: string | null,
  place: number,
  known: number,
];

/** Loads each unit's model and tool calls up to a given event, with texts. FINAL is not needed: duplicates of an event are equal. */
export async function loadTranscripts(
  engine: EventEngine,
  { units, ...query }: TranscriptQuery,
): Promise<ReadonlyMap<string, UnitEventsSoFar>> {
  const found = new Map<string, { readonly events: TranscriptEvent[]; readonly isCut: boolean }>();
  for (const chunk of parameterChunks(units, ({ unitId, eventId }) => [unitId, eventId])) {
    for (let start = 0; start < chunk.length; start += UNITS_PER_QUERY) {
      const rows = await loadRows(engine, query, chunk.slice(start, start + UNITS_PER_QUERY));
      for (const [lastId, prompt, response, hasFailed, tool, place, known] of rows) {
        // The first row of a unit is the oldest one read, with the largest place.
        if (!found.has(lastId)) found.set(lastId, { events: [], isCut: place < known });
        found.get(lastId)?.events.push({ prompt, response, hasFailed: hasFailed === 1, tool });
      }
    }
  }
  return found;
}

function loadRows(
  engine: EventEngine,
  { orgId, experimentId, unit }: Omit<TranscriptQuery, "units">,
  units: readonly UnitSoFar[],
): Promise<EventRow[]> {
  const column = unitColumn(unit);
  const bytes = "length(given) + length(got)";
  const newestFirst = "PARTITION BY last_id ORDER BY occurred_at DESC, event_id DESC";
  return engine.rows<EventRow>(
    `SELECT last_id, nullIf(given, ''), nullIf(got, ''), coalesce(error, 0) != 0, nullIf(tool_name, ''), place, known FROM (
       SELECT *, row_number() OVER (${newestFirst}) AS place, count() OVER (PARTITION BY last_id) AS known,
         sum(${bytes}) OVER (${newestFirst} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS bytes
       FROM ${engine.perShard(`
         SELECT ${column}, event_id, occurred_at, error, tool_name,
           if(type = 'tool_call', tool_arguments, prompt) AS given, if(type = 'tool_call', tool_result, response) AS got,
           arrayJoin(arrayFilter(
             (last, of_unit, until) -> of_unit = ${column} AND (toUnixTimestamp64Milli(occurred_at), event_id) <= (until, last),
             {last_ids: Array(String)}, {unit_ids: Array(String)}, {instants: Array(Int64)}
           )) AS last_id
         FROM raw_events
         WHERE ${OF_EXPERIMENT} AND type IN ('model_call', 'tool_call') AND ${column} IN {unit_ids: Array(String)}
         LIMIT 1 BY event_id, last_id`)}
     )
     WHERE place = 1 OR (place <= ${MAX_EVENTS} AND bytes <= ${MAX_BYTES})
     ORDER BY last_id, place DESC`,
    {
      ...{ org_id: orgId, experiment_id: experimentId },
      last_ids: units.map(({ eventId }) => eventId),
      unit_ids: units.map(({ unitId }) => unitId),
      instants: units.map(({ occurredAt }) => occurredAt),
    },
  );
}
