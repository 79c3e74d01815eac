import type { Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { ClientLog } from "../src/client-log.ts";
import { EventQueue } from "../src/event-queue.ts";
import { Sender } from "../src/sender.ts";
import { createTransport } from "../src/transport.ts";
import { ManualSchedule } from "./manual-schedule.ts";
import { RecordedLog } from "./recorded-log.ts";

export const EVENTS = "/v1/events";
export const ACK: Reply = { status: 202, body: { accepted: 1, config_version: 1, rejected: [] } };

/** An answer with a problem body. */
export const refusal = (status: number, slug: string, headers = {}): Reply => ({
  status,
  headers,
  body: { type: `https://assay.dev/problems/${slug}` },
});

export const idsOf = (batch: readonly Record<string, unknown>[]) => batch.map((event) => event.event_id);

/** A sender whose jitter is always half; `track` adds events numbered from 0. */
export function makeSender({ url: baseUrl }: ScriptedServer) {
  const schedule = new ManualSchedule();
  const recorded = new RecordedLog();
  const versions: number[] = [];
  const queue = new EventQueue();
  const sender = new Sender({
    queue,
    transport: createTransport({ apiKey: "svc_pk_1", baseUrl, fetch, schedule: schedule.run }),
    schedule: schedule.run,
    random: () => 0.5,
    log: new ClientLog(recorded, schedule.run),
    flushIntervalMs: 5_000,
    takeNullsBeforeReady: () => 0,
    onConfigVersion: (version) => versions.push(version),
  });
  let next = 0;
  const track = (count = 1, filler = "") => {
    for (let i = 0; i < count; i++) {
      if (queue.add(`{"event_id":"e${next++}","f":"${filler}"}`) === "added") sender.noteAdded();
    }
  };
  return { schedule, lines: recorded.lines, versions, queue, sender, track };
}
