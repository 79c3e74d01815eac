import type { BoundQuery } from "../engine/engine-client.ts";

/** Which events of a log: a condition. */
export interface SelectedEvents extends BoundQuery {
  readonly table: "analysis" | "raw_events";
}
