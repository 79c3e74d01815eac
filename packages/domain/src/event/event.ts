import type { EVENT_FIELDS, EventType, FieldKind, FieldProperty } from "./fields.ts";

/** Prefix of test users' ids. They have exposures, but are never in a metric's sample (spec §4). */
export const TEST_USER_PREFIX = "svc-test-";

/** How a field of a kind is stored: instants in epoch milliseconds, objects as their JSON. */
interface StoredValues extends Record<FieldKind, unknown> {
  readonly org: string;
  readonly experiment: string;
  readonly type: EventType;
  readonly instant: number;
  readonly id: string;
  readonly name: string | null;
  readonly reference: string | null;
  readonly number: number | null;
  readonly boolean: boolean | null;
  readonly text: string | null;
  readonly object: string | null;
}

/** One accepted event, ready for the event store. Missing values are null. */
export type StoredEvent = {
  readonly [P in FieldProperty]: StoredValues[(typeof EVENT_FIELDS)[P]["kind"]];
};
