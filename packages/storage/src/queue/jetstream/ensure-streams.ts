import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "@assay/domain";
import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";

/** Names of an installation's streams, subjects and consumer. */
export interface StreamNames {
  readonly events: string;
  readonly eventsSubject: string;
  readonly deadLetters: string;
  readonly deadLettersSubject: string;
  readonly consumer: string;
}

/** Limits of the backlog. Without a given limit, a stream keeps its own. */
export interface StreamBounds {
  readonly maxBytes?: number | undefined;
  readonly maxBatches?: number | undefined;
}

const GIB = 1024 ** 3;
/** Requested at creation, largest first. A server reserves this much of its disk, and may refuse. */
const BACKLOG_BYTES = [16 * GIB, 4 * GIB, GIB] as const;
const BACKLOG_BATCHES = 10_000_000;
const DEAD_LETTER_BYTES = [4 * GIB, GIB, GIB / 4] as const;
const DEAD_LETTERS = 100_000;
/** Retries of a batch end within seconds, and each id in the window uses the server's memory. */
const DEDUPE_MS = 60_000;
const REPLICAS = 3;
const PLACE_FOR_MS = 10_000;
/** More than all workers hold at once, so that a worker with many batches does not block the rest. */
const MAX_UNACKED = 100_000;

const NO_CLUSTER = 10_074;
const NO_PEERS = 10_005;
const NO_ROOM = [10_023, 10_028, 10_047];
const NAME_TAKEN = 10_058;

/** Returns the names for a prefix: `ASSAY_EVENTS` and so on. */
export function streamNames(prefix: string): StreamNames {
  return {
    events: `${prefix}_EVENTS`,
    eventsSubject: `${prefix.toLowerCase()}.events`,
    deadLetters: `${prefix}_DEAD_LETTERS`,
    deadLettersSubject: `${prefix.toLowerCase()}.dead-letters`,
    consumer: "workers",
  };
}

/**
 * Creates the streams and the consumer, or updates our settings on them. Limits that an operator changed stay. Both
 * streams refuse new messages when they are full. Returns the number of replicas of the event stream.
 *
 * The event stream is a work queue: the server deletes acked messages. So its content is the backlog, its limits are those
 * of the backlog, and its first sequence shows how far it is drained.
 */
export async function ensureStreams(
  jsm: JetStreamManager,
  names: StreamNames,
  { bounds, isClustered, redeliverAfterMs }: EnsureOptions,
): Promise<number> {
  const replicas = isClustered ? REPLICAS : 1;
  const events = await ensureStream(jsm, {
    name: names.events,
    subject: names.eventsSubject,
    retention: RetentionPolicy.Workqueue,
    replicas,
    bounds,
    sizes: BACKLOG_BYTES,
    maxMessages: BACKLOG_BATCHES,
  });
  await ensureStream(jsm, {
    name: names.deadLetters,
    subject: names.deadLettersSubject,
    retention: RetentionPolicy.Limits,
    replicas,
    bounds: {},
    sizes: DEAD_LETTER_BYTES,
    maxMessages: DEAD_LETTERS,
  });
  await ensureConsumer(jsm, names, redeliverAfterMs);
  return events;
}

interface EnsureOptions {
  readonly bounds: StreamBounds;
  readonly isClustered: boolean;
  readonly redeliverAfterMs: number;
}

interface StreamWish {
  readonly name: string;
  readonly subject: string;
  readonly retention: RetentionPolicy;
  readonly replicas: number;
  readonly bounds: StreamBounds;
  readonly sizes: readonly number[];
  readonly maxMessages: number;
}

async function ensureStream(jsm: JetStreamManager, wish: StreamWish): Promise<number> {
  const found = await findStream(jsm, wish.name);
  if (found === null) return createStream(jsm, wish);
  if (found.retention !== wish.retention || found.storage !== StorageType.File)
    throw new StartupError(
      `The NATS stream ${wish.name} exists and is not Assay's: give Assay its own prefix, as in nats://host:4222/prefix.`,
    );
  const ours: Partial<StreamConfig> = {
    subjects: [wish.subject],
    discard: DiscardPolicy.New,
    duplicate_window: nanos(DEDUPE_MS),
    ...(wish.bounds.maxBytes !== undefined && { max_bytes: wish.bounds.maxBytes }),
    ...(wish.bounds.maxBatches !== undefined && { max_msgs: wish.bounds.maxBatches }),
  };
  if (differs(found, ours)) await jsm.streams.update(wish.name, { ...found, ...ours });
  if (found.num_replicas >= wish.replicas) return found.num_replicas;
  // The stream was created while the cluster was smaller. If the cluster is incomplete now, the next start tries again.
  return jsm.streams.update(wish.name, { ...found, ...ours, num_replicas: wish.replicas }).then(
    ({ config }) => config.num_replicas,
    () => found.num_replicas,
  );
}

async function findStream(jsm: JetStreamManager, name: string): Promise<StreamConfig | null> {
  try {
    return (await jsm.streams.info(name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return null;
    throw error;
  }
}

/** Creates a stream as large and as replicated as the servers allow: three replicas in a cluster, otherwise one. */
async function createStream(jsm: JetStreamManager, wish: StreamWish): Promise<number> {
  const deadline = performance.now() + PLACE_FOR_MS;
  const sizes = wish.bounds.maxBytes === undefined ? wish.sizes : [wish.bounds.maxBytes];
  let size = 0;
  let replicas = wish.replicas;
  for (;;) {
    try {
      const { config } = await jsm.streams.add({
        name: wish.name,
        subjects: [wish.subject],
        retention: wish.retention,
        storage: StorageType.File,
        discard: DiscardPolicy.New,
        duplicate_window: nanos(DEDUPE_MS),
        num_replicas: replicas,
        max_bytes: sizes[size]!,
        max_msgs: wish.bounds.maxBatches ?? wish.maxMessages,
      });
      return config.num_replicas;
    } catch (error) {
      if (!(error instanceof JetStreamApiError)) throw error;
      if (error.code === NAME_TAKEN) return ensureStream(jsm, wish); // another process has just created it
      if (error.code === NO_CLUSTER && replicas > 1) replicas = 1;
      else if (error.code === NO_PEERS && replicas > 1) {
        if (performance.now() > deadline) replicas = 1;
        else await sleep(500);
      } else if (NO_ROOM.includes(error.code) && size + 1 < sizes.length) size += 1;
      else throw error;
    }
  }
}

/** Ensures the consumer that all workers share. A batch that is not renewed for `redeliverAfterMs` goes to another worker. */
async function ensureConsumer(jsm: JetStreamManager, names: StreamNames, redeliverAfterMs: number) {
  const ours: Partial<ConsumerConfig> = {
    ack_wait: nanos(redeliverAfterMs),
    max_ack_pending: MAX_UNACKED,
    max_deliver: -1,
  };
  const found = await jsm.consumers.info(names.events, names.consumer).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.status === 404) return null;
    throw error;
  });
  if (found === null)
    await jsm.consumers.add(names.events, {
      durable_name: names.consumer,
      ack_policy: AckPolicy.Explicit,
      ...ours,
    });
  else if (differs(found.config, ours)) await jsm.consumers.update(names.events, names.consumer, ours);
}

const differs = <T extends object>(found: T, ours: Partial<T>) =>
  Object.entries(ours).some(([key, value]) => String(found[key as keyof T]) !== String(value));
