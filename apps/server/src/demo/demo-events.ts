import { setImmediate as nextTurn } from "node:timers/promises";
import {
  assignAt,
  type BucketMap,
  compileTimeline,
  type Day,
  type ExperimentConfig,
  type StoredEvent,
  toInstant,
  toStoredEvent,
} from "@assay/domain";
import type { Demo } from "./demo-definition.ts";
import type { DemoUser } from "./demo-traffic.ts";

/** What determines the demo's events. */
export interface DemoSource {
  readonly demo: Demo;
  readonly id: string;
  readonly orgId: string;
  readonly config: ExperimentConfig;
  readonly bucketMap: BucketMap;
  /** The first day of the traffic. */
  readonly firstDay: Day;
}

const RECEIVED_AFTER_MS = 1_000;
const USERS_PER_TURN = 50;
const EXPOSURE = { type: "exposure", afterMs: 0, fields: {} } as const;

/** Makes the events that the demo's users would have sent. They are always the same. Yields to requests in between. */
export async function demoEvents(source: DemoSource): Promise<readonly StoredEvent[]> {
  const timeline = compileTimeline([{ ...source, updatedAt: Number.NEGATIVE_INFINITY }]);
  const events: StoredEvent[] = [];
  for (const [index, user] of source.demo.users(source.firstDay).entries()) {
    if (index % USERS_PER_TURN === 0) await nextTurn();
    const { variant } = assignAt(timeline, { userId: user.id, unitId: user.id }, user.at);
    const outcomes = source.demo.outcomes(user, variant);
    for (const [place, { type, afterMs, fields }] of [EXPOSURE, ...outcomes].entries()) {
      const row = { ...fields, type, variant, event_id: `${source.id}-${index}-${place}` };
      events.push(toEvent(row, { ...user, at: user.at + afterMs }, source));
    }
  }
  return events;
}

function toEvent(
  fields: Readonly<Record<string, unknown>>,
  user: DemoUser,
  { id, orgId }: DemoSource,
): StoredEvent {
  const row = { ...fields, user_id: user.id, timestamp: toInstant(user.at) };
  const receivedAt = user.at + RECEIVED_AFTER_MS;
  return toStoredEvent(row, {
    ...{ orgId, experimentId: id, receivedAt, provenance: null },
    attribute: ({ variant }) => ({ arm: variant, owner: null, reason: null }),
  });
}
