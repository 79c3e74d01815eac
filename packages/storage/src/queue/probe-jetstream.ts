import { StartupError } from "@assay/domain";
import {
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type StreamInfo,
} from "@nats-io/jetstream";
import type { ServerInfo } from "@nats-io/transport-node";
import type { EngineReport } from "../engine-report.ts";
import { type StreamNames, streamNames } from "./jetstream/ensure-streams.ts";
import { openNatsLine } from "./jetstream/nats-line.ts";
import { readServerAddress } from "./jetstream/server-address.ts";
import { requireUsable } from "./jetstream.ts";

/** Workers empty a healthy queue about twice a second. */
const LATE_MS = 60_000;

/** Probes NATS JetStream as the ingest queue will use it, without changing anything. Throws a `StartupError`. */
export async function probeJetStream(urls: readonly string[]): Promise<EngineReport> {
  const address = readServerAddress(urls);
  const line = await openNatsLine(address);
  try {
    const { info } = line.nc;
    if (info === undefined) throw new StartupError("NATS at ASSAY_QUEUE_URL sent no server information.");
    requireUsable(info);
    const streams = await readStreams(
      await jetstreamManager(line.nc, { checkAPI: false }),
      streamNames(address.prefix),
    );
    return { found: inWords(info, streams), advice: adviceOn(info, streams) };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      "JetStream at ASSAY_QUEUE_URL does not answer: check that most servers of the cluster run, and that the account may use JetStream.",
      { cause: error },
    );
  } finally {
    await line.close();
  }
}

interface Streams {
  /** Null: not created yet. */
  readonly events: StreamInfo | null;
  readonly unacked: number;
  readonly deadLetters: number;
}

async function readStreams(jsm: JetStreamManager, names: StreamNames): Promise<Streams> {
  const events = await ifThere(jsm.streams.info(names.events));
  if (events === null) {
    await jsm.getAccountInfo(); // answers only where JetStream runs
    return { events, unacked: 0, deadLetters: 0 };
  }
  const consumer = await ifThere(jsm.consumers.info(names.events, names.consumer));
  const letters = await ifThere(jsm.streams.info(names.deadLetters));
  return { events, unacked: consumer?.num_ack_pending ?? 0, deadLetters: letters?.state.messages ?? 0 };
}

function ifThere<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.status === 404) return null;
    throw error;
  });
}

function inWords({ version, cluster }: ServerInfo, { events, unacked }: Streams): string {
  const servers = cluster === undefined ? "one server" : `cluster ${cluster}`;
  if (events === null) return `NATS ${version}, ${servers}, no streams yet: the first start creates them`;
  const { num_replicas: replicas } = events.config;
  const { messages, bytes } = events.state;
  return `NATS ${version}, ${servers}, ${replicas} ${replicas === 1 ? "replica" : "replicas"}, ${messages} batches wait (${bytes} bytes), ${unacked} of them with workers`;
}

function adviceOn(info: ServerInfo, { events, deadLetters }: Streams): readonly string[] {
  const [major = 0, minor = 0] = info.version.split(".").map(Number);
  const away = (events?.cluster?.replicas ?? []).filter(
    ({ current, offline }) => offline === true || !current,
  );
  const waitedMs =
    events === null || events.state.messages === 0 ? 0 : Date.now() - Date.parse(events.state.first_ts);
  const says = (isSo: boolean, text: string) => (isSo ? [text] : []);
  return [
    ...says(
      major < 2 || (major === 2 && minor < 12),
      `NATS ${info.version} is old: a power cut may lose acknowledged events. Upgrade to 2.12 or newer and set sync_interval: always in its jetstream section.`,
    ),
    ...says(
      events?.config.num_replicas === 1,
      "Each batch is kept once: a cluster of three servers survives the loss of one.",
    ),
    ...says(
      away.length > 0,
      `The stream's replicas on ${away.map(({ name }) => name).join(", ")} are down or behind: see the log there.`,
    ),
    ...says(
      waitedMs > LATE_MS,
      `The oldest batch has waited for ${Math.round(waitedMs / 1000)} s: check that a worker runs and that the event store accepts events.`,
    ),
    ...says(
      deadLetters > 0,
      `${deadLetters} dead letters: the dashboard's health page shows why and can replay them.`,
    ),
  ];
}
