import type { Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { createClientLog } from "../src/client-log.ts";
import { createKeeper } from "../src/offline/keeper.ts";
import type { KeptEvent, OfflineStore } from "../src/offline-store.ts";
import { limits } from "../src/platform/node.ts";
import { createSender, type SenderDeps } from "../src/sender.ts";
import { createTransport } from "../src/transport.ts";
import { createWaiters } from "../src/waiters.ts";
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

/** A queued event of noon on 6 July 2026. */
export function keptEvent(eventId: string, filler = ""): KeptEvent {
  const row = JSON.stringify({ event_id: eventId, timestamp: "2026-07-06T12:00:00.000Z", f: filler });
  return { eventId, occurredAt: Date.UTC(2026, 6, 6, 12), row, bytes: Buffer.byteLength(row) };
}

/** A sender whose random source always returns half; `track` adds events numbered from 0. */
export function makeSender(
  { url: baseUrl }: ScriptedServer,
  { store, ...changes }: Partial<SenderDeps> & { readonly store?: OfflineStore | null } = {},
) {
  const schedule = new ManualSchedule();
  const recorded = new RecordedLog();
  const versions: number[] = [];
  const end = new AbortController();
  const life = end.signal;
  const log = createClientLog(recorded, schedule.run);
  const sender = createSender({
    transport: createTransport({
      apiKey: "svc_pk_1",
      baseUrl,
      fetch,
      schedule: schedule.run,
      log,
      life,
      noteDate() {},
    }),
    schedule: schedule.run,
    random: () => 0.5,
    ...{ log, life, baseUrl },
    limits,
    flushIntervalMs: 5_000,
    waiters: createWaiters(schedule.run),
    health: { nulls: 0 },
    noteVersion: (version) => versions.push(version),
    ...changes,
  });
  if (store) sender.useKeeper((queue) => createKeeper(store, queue));
  let next = 0;
  const track = (count = 1, filler = "") => {
    for (let i = 0; i < count; i++) sender.add(keptEvent(`e${next++}`, filler));
  };
  const queue = {
    get size(): number {
      return sender.unsent.length;
    },
  };
  const stop = () => {
    end.abort();
    return sender.giveUp();
  };
  return { schedule, log, stop, lines: recorded.lines, versions, queue, sender, track };
}
