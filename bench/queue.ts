import { openJetStreamQueue } from "@assay/storage/jetstream";
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { findNats, startNats } from "../tests/servers/nats.ts";
import { cleanUp, onCleanup } from "./harness/cleanup.ts";
import { sized } from "./harness/sized.ts";
import { formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";

const ROUNDS = sized(7, 1);
const MESSAGES = sized(3_000, 100);
const IN_FLIGHT = 64;
/** About 50 events. */
const BODY = new Uint8Array(20_000).fill(46);
const HEADER = { orgId: "org", receivedAt: 1, rejected: [], experiments: { checkout: "experiment" } };
const CLAIM = { batches: 1_000, bytes: 4 * 1024 * 1024 };

/** Puts messages in and takes them out again. */
interface Contestant {
  readonly put: () => Promise<unknown>;
  /** Takes out `count` messages and acknowledges them. */
  readonly drain: (count: number) => Promise<void>;
}

interface Round {
  readonly putPerSecond: number;
  readonly drainPerSecond: number;
}

/** Compares the queue on JetStream with JetStream's own client: one server, synced writes. */
export async function benchQueue(): Promise<void> {
  if (findNats() === null) {
    console.log("\n## queue\n\nNot run: it needs Go or the package nats-server.");
    return;
  }
  const servers = await startNats();
  onCleanup(() => servers.stop());
  const contestants = [await adapter(servers.url), await bare(servers.url)];
  for (const contestant of contestants) await runRound(contestant);
  const rounds: Round[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const row: Round[] = [];
    for (const contestant of contestants) row.push(await runRound(contestant));
    rounds.push(row);
  }
  print(rounds.map(([ours, theirs]) => [ours!, theirs!]));
  await cleanUp();
}

async function runRound({ put, drain }: Contestant): Promise<Round> {
  const startedAt = performance.now();
  let left = MESSAGES;
  const lane = async () => {
    while (left-- > 0) await put();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const filledAt = performance.now();
  await drain(MESSAGES);
  const drainedAt = performance.now();
  return {
    putPerSecond: MESSAGES / ((filledAt - startedAt) / 1000),
    drainPerSecond: MESSAGES / ((drainedAt - filledAt) / 1000),
  };
}

async function adapter(url: string): Promise<Contestant> {
  const queue = await openJetStreamQueue({ urls: [url] });
  onCleanup(() => queue.close());
  return {
    put: () => queue.append(HEADER, BODY),
    async drain(count) {
      for (let taken = 0; taken < count; ) {
        await queue.waitForBatch(1_000);
        const batches = await queue.claim(CLAIM.batches, CLAIM.bytes);
        await queue.ack(batches);
        taken += batches.length;
      }
    },
  };
}

async function bare(url: string): Promise<Contestant> {
  const nc = await connect({ servers: url });
  onCleanup(() => nc.close());
  const jsm = await jetstreamManager(nc);
  await jsm.streams.add({ name: "BARE", subjects: ["bare"], retention: RetentionPolicy.Workqueue });
  await jsm.consumers.add("BARE", {
    durable_name: "bare",
    ack_policy: AckPolicy.Explicit,
    max_ack_pending: 100_000,
  });
  const js = jetstream(nc);
  const consumer = await js.consumers.get("BARE", "bare");
  return {
    put: () => js.publish("bare", BODY),
    async drain(count) {
      let taken = 0;
      const acks: Promise<boolean>[] = [];
      for await (const message of await consumer.consume({ max_messages: CLAIM.batches })) {
        acks.push(message.ackAck());
        taken += 1;
        if (taken === count) break;
      }
      await Promise.all(acks);
    },
  };
}

function print(rounds: readonly (readonly [ours: Round, theirs: Round])[]): void {
  const row = (name: string, rate: (round: Round) => number) => [
    name,
    formatSpread(spreadOf(rounds.map(([ours, theirs]) => rate(ours) / rate(theirs)))),
    formatSpread(spreadOf(rounds.map(([ours]) => rate(ours)))),
    formatSpread(spreadOf(rounds.map(([, theirs]) => rate(theirs)))),
  ];
  printTable(
    "queue",
    `The ingest queue on NATS JetStream against bare \`js.publish\` and \`consume\` with confirmed acks: ${MESSAGES} batches of ${BODY.length / 1000} KB, ${IN_FLIGHT} in flight, ${ROUNDS} rounds, on one local server that syncs each write.`,
    [
      ["", "÷ bare", "queue, batches/s", "bare, messages/s"],
      row("append ÷ publish", ({ putPerSecond }) => putPerSecond),
      row("claim and ack ÷ consume", ({ drainPerSecond }) => drainPerSecond),
    ],
  );
}
