import type { EventEngine } from "../engine/event-engine.ts";
import { EVENT_KEY } from "./conditions.ts";
import type { SelectedEvents } from "./selected-events.ts";

/** Returns whether a condition selects an event that is stored more than once because its copies are not merged yet. */
export async function hasCopies(
  engine: EventEngine,
  { table, sql, params }: SelectedEvents,
): Promise<boolean> {
  const [row] = await engine.rows<[number]>(
    `SELECT sum(copies) FROM ${engine.perShard(
      `SELECT count() - uniqExact(${EVENT_KEY}) AS copies FROM ${table} WHERE ${sql}`,
    )}`,
    params,
  );
  return row![0] > 0;
}
