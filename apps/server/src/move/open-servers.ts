import { clickhouseEventStore } from "@assay/storage";
import { openJetStreamQueue } from "@assay/storage/jetstream";
import { type ControlSnapshot, type ControlTarget, openControlTarget } from "@assay/storage/move";
import { eventsServer } from "../engines/events-address.ts";
import { type Settings, SettingsError } from "../settings.ts";
import type { Teardown } from "../teardown.ts";

type Queue = Awaited<ReturnType<typeof openJetStreamQueue>>;

/** The engines that a data folder is moved to, with their tables and streams created. */
export interface Servers {
  readonly control: ControlTarget;
  readonly events: ReturnType<typeof eventsServer>;
  readonly queue: Queue;
}

/** Opens the three server engines, which must all be set, and brings their schemas up to date. */
export async function openServers(settings: Settings, teardown: Teardown): Promise<Servers> {
  const { databaseUrl, eventsUrl, queueUrls } = settings;
  if (databaseUrl === null || eventsUrl === null || queueUrls === null)
    throw new SettingsError(
      "A move needs three servers: set ASSAY_DATABASE_URL, ASSAY_EVENTS_URL and ASSAY_QUEUE_URL.",
    );
  const control = openControlTarget(databaseUrl);
  teardown.add(() => control.close());
  await control.migrate();
  const events = eventsServer(eventsUrl);
  const store = clickhouseEventStore(events);
  await store.migrate().finally(() => store.close());
  const queue = await openJetStreamQueue({ urls: queueUrls });
  teardown.add(() => queue.close());
  return { control, events, queue };
}

/** The state of a move on the servers. */
type Found = "nothing" | "unfinished" | "finished";

/**
 * Finds how far a move of this installation got. Throws a `SettingsError` when the servers contain anything else,
 * because two installations are never mixed.
 */
export async function findMove(
  snapshot: ControlSnapshot,
  { control, queue }: Servers,
  areEventsEmpty: () => Promise<boolean>,
): Promise<Found> {
  const mark = await control.findMark();
  if (mark !== null && mark.source !== snapshot.fingerprint)
    throw notEmpty("ASSAY_DATABASE_URL", "was moved there from another data folder");
  if (mark !== null) return mark.isFinished ? "finished" : "unfinished";
  if (!(await control.isEmpty())) throw notEmpty("ASSAY_DATABASE_URL", "is in use there");
  if (!(await areEventsEmpty())) throw notEmpty("ASSAY_EVENTS_URL", "has its events there");
  // An installation running there may have stored all its batches. The new one would then take its next ones.
  const batches = (await queue.newestSequence()) + (await queue.countBuried());
  if (batches > 0) throw notEmpty("ASSAY_QUEUE_URL", "has sent its batches there");
  return "nothing";
}

const notEmpty = (name: string, what: string): SettingsError =>
  new SettingsError(
    `Another installation ${what} (${name}), and two cannot share these servers' databases or streams: name empty databases and a separate prefix for streams (nats://host:4222/NAME).`,
  );
